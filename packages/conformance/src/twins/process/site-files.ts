import { mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { siteFiles } from "../../server-sites/site-case.ts";

const big = "0123456789abcdef".repeat(8_192);
const script = "console.log('precompressed');\n".repeat(40);

/** Files of sites in addition to the files of the other comparison. */
const more: Readonly<Record<string, string | Buffer>> = {
  "index.php": "<?php echo 1;",
  "wp-login.php": "<?php",
  "wp-admin/index.php": "<?php",
  "wp-content/uploads/a.txt": "upload",
  "wp-content/themes/style.css": "p { margin: 0 }\n".repeat(80),
  "blog/index.php": "<?php",
  "app/index.html": "<!doctype html><title>app</title>",
  "app/main.js": script,
  "app/main.js.gz": gzipSync(script),
  "app/main.js.br": brotliCompressSync(script),
  "app/main.js.zst": zstdCompressSync(script),
  "downloads/big.bin": big,
  "downloads/empty.txt": "",
  "downloads/ten.txt": "0123456789",
  ".hidden/secret.txt": "hidden",
  ".env": "SECRET=1",
  "maintenance.html": "<h1>back soon</h1>",
  "404.html": '<h1>not here {{placeholder "http.error.status_code"}}</h1>',
  "page.html":
    '<p>{{placeholder "http.request.uri"}} {{.Req.Method}} {{env "NOT_SET"}}{{include "/part.html"}}</p>',
  "part.html": "<b>part {{.Host}}</b>",
  "data.md": "---\ntitle: T\n---\n# Head\n\ntext *soft*\n",
  "café.txt": "coffee",
  "a+b.txt": "plus",
  "100%.txt": "percent",
  "q?.txt": "question",
  "a;b.txt": "semicolon",
  "nested/deep/er/file.txt": "deep",
  "UPPER.TXT": "upper",
};

const time = 1_700_000_000;

/** Creates the folder that both servers serve. */
export async function makeSiteFiles(root: string): Promise<void> {
  const all = Object.entries({ ...siteFiles, ...more });
  for (const [name, content] of all) {
    const path = join(root, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, time, time);
  }
  await symlink("a.txt", join(root, "link.txt"));
  await symlink("../outside", join(root, "away"));
  const folders = new Set(all.map(([name]) => dirname(name)).flatMap((name) => [name, dirname(name)]));
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
    await utimes(join(root, folder), time, time);
  }
}
