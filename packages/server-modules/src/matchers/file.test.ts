import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPlaceholder } from "http-engine/placeholders";
import { makeExchange } from "http-engine/testing/make-exchange";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionMatcher } from "../../../admin-server/src/testing/provision-module.ts";

let root = "";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "file-matcher-"));
  mkdirSync(join(root, "folder"));
  const files = {
    "a.txt": "a",
    "big.txt": "bigger",
    "folder/b.txt": "b",
    "index.php": "?",
    "we[i]rd.txt": "w",
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(root, name), text);
  }
  utimesSync(join(root, "a.txt"), 2_000_000_000, 2_000_000_000);
});

afterAll(() => rmSync(root, { recursive: true }));

async function find(target: string, config: object): Promise<string | false> {
  const exchange = makeExchange({ target });
  exchange.vars.set("root", root);
  const found = (await provisionMatcher("file", config)).matches(exchange);
  const read = (name: string) => readPlaceholder(exchange, `http.matchers.file.${name}`) ?? "";
  return found === true && `${read("relative")} ${read("type")} ${read("remainder")}`.trim();
}

test.each([
  ["/a.txt", {}, "/a.txt file"],
  ["/absent.txt", {}, false],
  ["/folder", {}, false],
  ["/folder/", {}, false],
  ["/folder/", { try_files: ["{http.request.uri.path}/"] }, "/folder/ directory"],
  ["/a.txt", { try_files: ["{http.request.uri.path}/"] }, false],
  ["/x", { try_files: ["{http.request.uri.path}", "/a.txt"] }, "/a.txt file"],
  ["/%2e%2e/%2e%2e/a.txt", {}, "/a.txt file"],
  ["/x", { try_files: ["/*.txt"] }, "/a.txt file"],
  ["/*.txt", {}, false],
  ["/we[i]rd.txt", {}, "/we[i]rd.txt file"],
  ["/x", { try_files: ["/folder/*"] }, "/folder/b.txt file"],
  ["/x", { try_files: ["/a.txt", "/big.txt"], try_policy: "largest_size" }, "/big.txt file"],
  ["/x", { try_files: ["/a.txt", "/big.txt"], try_policy: "smallest_size" }, "/a.txt file"],
  ["/x", { try_files: ["/big.txt", "/a.txt"], try_policy: "most_recently_modified" }, "/a.txt file"],
  ["/x", { try_files: ["/no", "/absent.php"], try_policy: "first_exist_fallback" }, "/absent.php file"],
  ["/index.php/more/path", { split_path: [".php"] }, "/index.php file /more/path"],
  ["/index.PHP5", { split_path: [".php"] }, false],
  // The front page: no policy that asks for existence takes the root.
  ["/", {}, false],
  ["/", { try_files: ["{http.request.uri.path}/"] }, false],
  ["/", { try_files: ["/"] }, false],
  ["/", { try_files: ["{http.request.uri.path.file}"] }, false],
  ["/", { try_files: ["{http.request.uri.path}", "/a.txt"] }, "/a.txt file"],
  ["//", { try_files: ["{http.request.uri.path}", "/a.txt"] }, "/a.txt file"],
  ["/folder/..", { try_files: ["{http.request.uri.path}", "/a.txt"] }, "/a.txt file"],
  ["/", { try_files: ["{http.request.uri.path}/index.php", "/a.txt"] }, "/index.php file"],
  ["/", { try_files: ["{http.request.uri.path}", "/"], try_policy: "first_exist_fallback" }, "file"],
  ["/x", { try_files: ["/no", "{http.request.uri.path}/"], try_policy: "first_exist_fallback" }, "/x/ file"],
  [
    "/folder/",
    { try_files: ["/no", "{http.request.uri.path}"], try_policy: "first_exist_fallback" },
    "/folder file",
  ],
  ["/x", { try_files: ["/no", "/*.zip"], try_policy: "first_exist_fallback" }, "/*.zip file"],
  ["/x", { try_files: ["/no", "/*.txt"], try_policy: "first_exist_fallback" }, "/a.txt file"],
  ["/x", { try_files: ["/"], try_policy: "smallest_size" }, "directory"],
  ["/folder", { try_files: ["{http.request.uri.path}/"] }, "/folder/ directory"],
  ["/x", { try_files: ["/folder/"] }, "/folder/ directory"],
  ["/x", { try_files: ["/*/"] }, false],
  ["/x", { try_files: ["/*/b.txt"] }, "/folder/b.txt file"],
  ["/x", { try_files: ["/*/a.txt"] }, false],
  ["/we[i]rd", { try_files: ["{http.request.uri.path}.txt"] }, "/we[i]rd.txt file"],
  ["/x", { try_files: ["/[a", "/a\\"] }, false],
  ["/x", { try_files: ["{no.such}/a.txt"] }, "/a.txt file"],
  ["/folder/b.txt", { split_path: [".txt"] }, "/folder/b.txt file"],
  ["/index.php/a.txt", { split_path: [".txt", ".php"] }, "/index.php file /a.txt"],
  ["/a.txt.txt/x", { split_path: [".txt"] }, false],
  ["/index.\u{212a}php/x", { split_path: [".kphp"] }, false],
])("%s with %j: %s", async (target, config, expected) => {
  expect(await find(target, config)).toBe(expected);
});

test("an entry =404 raises that error", async () => {
  await expect(find("/x", { try_files: ["/no", "=404"] })).rejects.toMatchObject({ status: 404 });
});

test("a file system that does not exist has no files", async () => {
  expect(await find("/a.txt", { fs: "s3" })).toBe(false);
});

test("an unknown policy is refused", async () => {
  await expect(provisionMatcher("file", { try_policy: "x" })).rejects.toThrow(/try_policy/);
});

test("a root whose placeholder has no value is the working folder, not that of the machine", async () => {
  const exchange = makeExchange({ target: "/etc/passwd" });
  const matcher = await provisionMatcher("file", { root: "{http.vars.absent}/" });
  expect(matcher.matches(exchange)).toBe(false);
});

test("says where the file is", async () => {
  const exchange = makeExchange({ target: "/folder/b.txt" });
  expect((await provisionMatcher("file", { root })).matches(exchange)).toBe(true);
  expect(readPlaceholder(exchange, "http.matchers.file.absolute")).toBe(join(root, "folder/b.txt"));
});
