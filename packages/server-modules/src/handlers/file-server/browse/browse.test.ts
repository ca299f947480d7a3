import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";
import { type ListedFile, listFolder } from "./listing.ts";
import { arrange } from "./order.ts";

let root = "";
let server: RunningServer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "browse-"));
  mkdirSync(join(root, "list/sub"), { recursive: true });
  const files = { "b.txt": "bb", "A.txt": "a", "c&<d>'.txt": "ccc", "hidden.txt": "h", "q?#.txt": "dddd" };
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    writeFileSync(join(root, "list", name), text);
    utimesSync(join(root, "list", name), 1_700_000_000 + index, 1_700_000_000 + index);
  }
  symlinkSync("b.txt", join(root, "list/link"));
  server = await RunningServer.start(
    siteConfig({
      handle: [{ handler: "file_server", root, hide: ["hidden.txt"], browse: { reveal_symlinks: true } }],
    }),
  );
});

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

async function names(query: string, cookie = ""): Promise<string[]> {
  const headers = { Accept: "application/json", ...(cookie === "" ? {} : { Cookie: cookie }) };
  const { text } = await ask(`${server.site}/list/${query}`, { headers });
  return (JSON.parse(text) as ListedFile[]).map((item) => item.name);
}

test("a link counts with its own bytes, and apart with those of its target", async () => {
  const listing = await listFolder(join(root, "list"), {
    ...{ limit: 100, revealSymlinks: false },
    isHidden: (path) => path.endsWith("hidden.txt"),
  });
  expect(listing).toMatchObject({ files: 5, totalBytes: 15, followedBytes: 12 });
});

test("JSON has every field", async () => {
  const answer = await ask(`${server.site}/list/`, { headers: { Accept: "application/json" } });
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers.vary).toBe("Accept, Accept-Encoding");
  const items = JSON.parse(answer.text) as ListedFile[];
  expect(items.find(({ name }) => name === "b.txt")).toEqual({
    name: "b.txt",
    size: 2,
    url: "./b.txt",
    mod_time: "2023-11-14T22:13:20Z",
    mode: 0o644,
    is_dir: false,
    is_symlink: false,
  });
  expect(items.find(({ name }) => name === "link")).toMatchObject({
    size: 2,
    is_symlink: true,
    symlink_path: "b.txt",
  });
  expect(items.find(({ name }) => name === "sub/")).toMatchObject({ is_dir: true, url: "./sub/" });
  expect(items.find(({ name }) => name === "q?#.txt")?.url).toBe("./q%3F%23.txt");
});

test.each([
  ["", ["sub/", "A.txt", "b.txt", "c&<d>'.txt", "link", "q?#.txt"]],
  ["?sort=name", ["A.txt", "b.txt", "c&<d>'.txt", "link", "q?#.txt", "sub/"]],
  ["?sort=name&order=desc&limit=2", ["sub/", "q?#.txt"]],
  ["?sort=size&offset=1&limit=1", ["A.txt"]],
  ["?sort=time&limit=3", ["b.txt", "A.txt", "c&<d>'.txt"]],
  ["?sort=nonsense&limit=-1&offset=x", ["sub/", "A.txt", "b.txt", "c&<d>'.txt", "link", "q?#.txt"]],
])("%s lists %j", async (query, expected) => {
  expect(await names(query)).toEqual(expected);
});

test("the order is remembered in cookies", async () => {
  const { headers } = await ask(`${server.site}/list/?sort=name&order=desc`);
  expect(headers["set-cookie"]).toEqual([
    "sort=name; HttpOnly; SameSite=Lax",
    "order=desc; HttpOnly; SameSite=Lax",
  ]);
  expect((await names("?limit=1", "sort=name; order=desc"))[0]).toBe("sub/");
});

test("times are told to the nanosecond", async () => {
  const { text } = await ask(`${server.site}/list/`, { headers: { Accept: "application/json" } });
  const link = (JSON.parse(text) as ListedFile[]).find(({ name }) => name === "link");
  const { mtimeNs } = lstatSync(join(root, "list/link"), { bigint: true });
  const fraction = String(mtimeNs % 1_000_000_000n).padStart(9, "0");
  expect(link?.mod_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d*[1-9])?Z$/);
  expect(link?.mod_time.slice(20, -1).padEnd(9, "0")).toBe(fraction);
});

test("times are sorted to the nanosecond", () => {
  const times = ["2023-11-14T22:13:20.5Z", "2023-11-14T22:13:20.500000001Z", "2023-11-14T22:13:20Z"];
  const entry = { name: "x", size: 0, url: "./x", mode: 0, is_dir: false, is_symlink: false };
  const items = times.map((mod_time) => ({ ...entry, mod_time }));
  const sorted = arrange(items, { sort: "time", order: "asc", offset: "", limit: "" }).map(
    ({ mod_time }) => mod_time,
  );
  expect(sorted).toEqual([times[2], times[0], times[1]]);
});

test("HTML escapes what names hold", async () => {
  const { text, headers } = await ask(`${server.site}/list/`);
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(text).toContain('<a href="./c&#38;%3Cd%3E&#39;.txt">c&#38;&#60;d&#62;&#39;.txt</a>');
  expect(text).not.toContain("hidden.txt");
  expect((await ask(`${server.site}/list/?layout=grid`)).text).toContain("<ul>");
});

test("plain text is a table", async () => {
  const { text } = await ask(`${server.site}/list/?sort=name`, { headers: { Accept: "text/plain" } });
  const [head, , first] = text.split("\n");
  expect(head).toMatch(/^Name\t\tSize\tModified$/);
  expect(first).toMatch(/^A\.txt\t\t1 B\tNovember 14, 2023 at 22:13:21$/);
});

test("the text has times as `plain_time_format` says", async () => {
  const browse = { plain_time_format: "2006-01-02" };
  const dated = await RunningServer.start(siteConfig({ handle: [{ handler: "file_server", root, browse }] }));
  const { text } = await ask(`${dated.site}/list/?sort=name`, { headers: { Accept: "text/plain" } });
  await dated.close();
  expect(text.split("\n")[2]).toMatch(/^A\.txt\t\t1 B\t2023-11-14$/);
});

test("a folder without slash is redirected, an unchanged one not sent", async () => {
  const redirect = await ask(`${server.site}/list?x`);
  expect([redirect.status, redirect.headers.location]).toEqual([308, "/list/?x"]);
  const { headers } = await ask(`${server.site}/list/`);
  const again = await ask(`${server.site}/list/`, {
    headers: { "If-Modified-Since": headers["last-modified"] },
  });
  expect([again.status, again.headers["last-modified"]]).toEqual([304, undefined]);
});

test("browsers run and load nothing of a listing but its own style", async () => {
  const { headers, text } = await ask(`${server.site}/list/`);
  const nonce = /style-src 'nonce-([\w-]+)'/.exec(String(headers["content-security-policy"]))?.[1];
  expect(headers["content-security-policy"]).toContain("default-src 'none'");
  expect(text).toContain(`<style nonce="${nonce}">`);
  const other = await ask(`${server.site}/list/`);
  expect(other.headers["content-security-policy"]).not.toContain(nonce);
});

test("a template of one's own may make the page", async () => {
  const template = join(root, "page.tpl");
  writeFileSync(
    template,
    '{{.Path}}|{{.NumDirs}},{{.NumFiles}}|{{range .Items}}{{html .Name}}{{if not .IsDir}}={{.HumanSize}}{{end}};{{end}}|{{range .Breadcrumbs}}{{.Link}}{{.Text}} {{end}}|{{.Host}}|{{(index .Items 1).HumanModTime "2006"}}|{{.Limit}}{{.Offset}} {{.Req.URL.Path}} {{(index .Items 1).Mode}} {{(index .Items 1).ModTime.Year}}',
  );
  const own = await RunningServer.start(
    siteConfig({
      handle: [{ handler: "file_server", root, hide: ["hidden.txt"], browse: { template_file: template } }],
    }),
  );
  try {
    const { text } = await ask(`${own.site}/list/?sort=name&limit=2`, { headers: { Host: "example.com" } });
    expect(text).toBe("/list|1,5|A.txt=1 B;b.txt=2 B;|..// list |example.com|2023|20 /list/ -rw-r--r-- 2023");
  } finally {
    await own.close();
  }
});

// Other systems refuse such a name.
test.runIf(process.platform === "linux")(
  "files whose names are no UTF-8 are listed, and their links lead to them",
  async () => {
    mkdirSync(join(root, "odd"));
    writeFileSync(Buffer.from(`${root}/odd/gr\xfc\xdf.txt`, "latin1"), "hello");
    const answer = await ask(`${server.site}/odd/`, { headers: { Accept: "application/json" } });
    const [item] = JSON.parse(answer.text) as ListedFile[];
    expect(item).toMatchObject({ name: "gr\ufffd\ufffd.txt", url: "./gr%FC%DF.txt", size: 5 });
    expect((await ask(`${server.site}/odd/gr%FC%DF.txt`)).text).toBe("hello");
    expect((await ask(`${server.site}/odd/`)).text).toContain('href="./gr%FC%DF.txt"');
  },
);

test("a template that cannot be read is refused", async () => {
  const config = siteConfig({
    handle: [{ handler: "file_server", browse: { template_file: "/nowhere.tpl" } }],
  });
  await expect(RunningServer.start(config)).rejects.toThrow("browse template /nowhere.tpl");
});

test.each([
  [["nonsense"], "the first option must be one of name, namedirfirst, size, time, but is nonsense"],
  [["name", "up"], "the second option must be one of asc, desc, but is up"],
  [["name", "asc", "size"], "there are two options at most"],
])("a default order of %j is refused", async (sort, message) => {
  const handler = { handler: "file_server", root: ".", browse: { sort } };
  const answer = await server.admin("POST", "/validate", siteConfig({ handle: [handler] }));
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
});
