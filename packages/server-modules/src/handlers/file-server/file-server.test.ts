import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let root = "";
let server: RunningServer;
const large = Buffer.alloc(3 * 1024 * 1024, "0123456789abcdef");
const sites: Record<string, object> = {
  "/plain": {},
  "/hide": { hide: ["secret*", "{http.vars.root}/folder/deep"] },
  "/zip": { precompressed: { gzip: {}, br: {} } },
  "/status": { status_code: 418 },
  "/pass": { pass_thru: true },
  "/free": { canonical_uris: false, index_names: ["other.html"] },
  "/etag": { etag_file_extensions: [".none", ".etag"] },
  "/nofs": { fs: "cloud" },
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "file-server-"));
  mkdirSync(join(root, "folder/deep"), { recursive: true });
  mkdirSync(join(root, "empty"));
  const files: Record<string, string | Buffer> = {
    "a.txt": "0123456789",
    "index.html": "<p>index",
    "folder/index.txt": "in the folder",
    "folder/other.html": "other",
    "folder/deep/x.txt": "deep",
    "secret.txt": "secret",
    "with space & ü.txt": "odd",
    "data.bin": "\0\x01",
    unknown: "?",
    zero: "",
    "old.txt": "old",
    "tagged.txt": "tagged",
    "tagged.txt.etag": '"from-file"\n',
    "z.css": "body{}",
    "z.css.gz": gzipSync("body{}"),
    "large.bin": large,
  };
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(root, name), bytes);
  }
  for (const name of ["a.txt", "large.bin", "z.css", "z.css.gz"]) {
    utimesSync(join(root, name), 1_700_000_000, 1_700_000_000);
  }
  utimesSync(join(root, "old.txt"), 1, 1);
  symlinkSync("a.txt", join(root, "link.txt"));
  const routes = Object.entries(sites).map(([prefix, config]) => ({
    match: [{ path: [`${prefix}/*`] }],
    handle: [
      { handler: "vars", root },
      { handler: "rewrite", strip_path_prefix: prefix },
      { handler: "file_server", ...config },
      { handler: "static_response", status_code: 299, body: "next" },
    ],
  }));
  server = await RunningServer.start(siteConfig(...routes));
});

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<HttpAnswer> {
  return ask(`${server.site}${path}`, { target: path, headers, method });
}

describe("whole files", () => {
  test("come with type, length, time and tag, from disk and from memory", async () => {
    for (const _ of [1, 2]) {
      const answer = await get("/plain/a.txt");
      expect(answer.text).toBe("0123456789");
      expect(answer.headers).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "content-length": "10",
        "last-modified": "Tue, 14 Nov 2023 22:13:20 GMT",
        etag: `"${(1_700_000_000n * 1_000_000_000n).toString(36)}-a"`,
        "accept-ranges": "bytes",
        vary: "Accept-Encoding",
      });
    }
  });

  test("a change on disk is seen at once", async () => {
    writeFileSync(join(root, "change.txt"), "one");
    expect((await get("/plain/change.txt")).text).toBe("one");
    expect((await get("/plain/change.txt")).text).toBe("one");
    writeFileSync(join(root, "change.txt"), "two!");
    expect((await get("/plain/change.txt")).text).toBe("two!");
  });

  test.each([
    ["/plain/", 200, "<p>index"],
    ["/plain/folder/", 200, "in the folder"],
    ["/plain/link.txt", 200, "0123456789"],
    ["/plain/with%20space%20&%20%C3%BC.txt", 200, "odd"],
    ["/plain/zero", 200, ""],
    ["/plain/absent.txt", 404, ""],
    ["/plain/empty/", 404, ""],
    ["/plain/a.txt/more", 404, ""],
    [`/plain/${"n".repeat(300)}`, 400, ""],
    ["/hide/secret.txt", 404, ""],
    ["/hide/folder/deep/x.txt", 404, ""],
    ["/hide/a.txt", 200, "0123456789"],
    ["/status/a.txt", 418, "0123456789"],
    ["/pass/absent", 299, "next"],
    ["/pass/a.txt", 200, "0123456789"],
    ["/free/folder", 200, "other"],
    ["/nofs/a.txt", 404, ""],
  ])("%s: %i", async (path, status, text) => {
    const answer = await get(path);
    expect([answer.status, answer.text]).toEqual([status, text]);
  });

  test("a redirect to a folder has a text for readers only", async () => {
    const texts = [await get("/plain/folder"), await get("/plain/folder", {}, "PUT")];
    expect(texts.map(({ status, text, headers }) => [status, text === "", headers["content-type"]])).toEqual([
      [308, false, "text/html; charset=utf-8"],
      [308, true, undefined],
    ]);
  });

  test("a large file comes whole", async () => {
    const answer = await get("/plain/large.bin");
    expect(answer.headers["content-length"]).toBe(String(large.length));
    expect(answer.text === large.toString()).toBe(true);
  });

  test("HEAD tells what GET would", async () => {
    for (const path of ["/plain/a.txt", "/plain/large.bin"]) {
      const [head, whole] = [await get(path, {}, "HEAD"), await get(path)];
      expect(head.text).toBe("");
      const { date: _, ...headers } = head.headers;
      expect(whole.headers).toMatchObject(headers);
    }
  });

  test("other methods are refused", async () => {
    const answer = await get("/plain/a.txt", {}, "POST");
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  test("a file without a telling time has neither tag nor time; an unknown type has none", async () => {
    const { headers } = await get("/plain/old.txt");
    expect([headers.etag, headers["last-modified"]]).toEqual([undefined, undefined]);
    expect((await get("/plain/unknown")).headers["content-type"]).toBeUndefined();
  });

  test("a tag may come from a file beside", async () => {
    expect((await get("/etag/tagged.txt")).headers.etag).toBe('"from-file"');
    expect((await get("/etag/a.txt")).headers.etag).toMatch(/-a"$/);
  });
});

describe("redirects", () => {
  test.each([
    ["/plain/folder?x=1", "/plain/folder/?x=1"],
    ["/plain/a.txt/", "/plain/a.txt"],
    ["/plain/x%2f../folder", "/plain/folder/"],
    ["/plain/folder/", undefined],
  ])("%s goes to %s", async (path, location) => {
    const answer = await get(path);
    expect([answer.status === 308, answer.headers.location]).toEqual([location !== undefined, location]);
  });

  test("never lead to another host", async () => {
    for (const target of ["//plain/../evil.example/plain/folder", "/\\evil.example/../plain/folder"]) {
      const { headers } = await get(target);
      expect(headers.location ?? "/").toMatch(/^\/(?![/\\])/);
    }
  });
});

describe("parts", () => {
  test.each([
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=8-", "89", "bytes 8-9/10"],
  ])("%s", async (range, text, contentRange) => {
    const answer = await get("/plain/a.txt", { Range: range });
    expect([answer.status, answer.text, answer.headers["content-range"]]).toEqual([206, text, contentRange]);
    expect(answer.headers["content-length"]).toBe(String(text.length));
  });

  test("several come as multipart", async () => {
    for (const [path, size] of [
      ["/plain/a.txt", 10],
      ["/plain/large.bin", large.length],
    ]) {
      const answer = await get(String(path), { Range: "bytes=0-1,4-5" });
      const type = answer.headers["content-type"] ?? "";
      const boundary = /^multipart\/byteranges; boundary=(\w+)$/.exec(type)?.[1];
      expect(answer.status).toBe(206);
      expect(answer.headers["content-length"]).toBe(String(answer.text.length));
      const part = (range: string, text: string) =>
        new RegExp(
          `--${boundary}\r\nContent-Range: bytes ${range}/${size}\r\n(?:Content-Type: .*\r\n)?\r\n${text}\r\n`,
        );
      expect(answer.text).toMatch(part("0-1", "01"));
      expect(answer.text).toMatch(part("4-5", "45"));
      expect(answer.text.endsWith(`--${boundary}--\r\n`)).toBe(true);
    }
  });

  test.each([
    ["bytes=20-", 416, "bytes */10"],
    ["bytes=5-1", 416, undefined],
    ["bytes=", 200, undefined],
    ["pages=1", 200, undefined],
    ["bytes=0-9,0-9", 200, undefined],
  ])("%s: %i", async (range, status, contentRange) => {
    const answer = await get("/plain/a.txt", { Range: range });
    expect([answer.status, answer.headers["content-range"]]).toEqual([status, contentRange]);
  });

  test.each([
    ["bytes=20-", "invalid range: failed to overlap\n"],
    ["bytes=5-1", "invalid range\n"],
  ])("a refusal of %s says why, and nothing of the file", async (range, text) => {
    const answer = await get("/plain/a.txt", { Range: range });
    const { etag, "content-type": type, "last-modified": modified } = answer.headers;
    expect([answer.text, type, etag, modified]).toEqual([
      text,
      "text/plain; charset=utf-8",
      undefined,
      undefined,
    ]);
    const head = await get("/plain/a.txt", { Range: range }, "HEAD");
    expect([head.text, head.headers["content-length"]]).toEqual(["", String(text.length)]);
  });

  test("of a large file", async () => {
    const answer = await get("/plain/large.bin", { Range: `bytes=${large.length - 3}-` });
    expect([answer.status, answer.text]).toEqual([206, "def"]);
  });

  test("only while If-Range holds", async () => {
    const { headers } = await get("/plain/a.txt");
    const part = await get("/plain/a.txt", { Range: "bytes=0-0", "If-Range": headers.etag ?? "" });
    expect(part.status).toBe(206);
    expect((await get("/plain/a.txt", { Range: "bytes=0-0", "If-Range": '"other"' })).status).toBe(200);
  });
});

describe("conditions", () => {
  test("an unchanged file is not sent again", async () => {
    const { headers } = await get("/plain/a.txt");
    for (const condition of [
      { "If-None-Match": headers.etag ?? "" },
      { "If-Modified-Since": headers["last-modified"] ?? "" },
    ]) {
      const answer = await get("/plain/a.txt", condition);
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([304, "", headers.etag]);
      expect(answer.headers["content-type"]).toBeUndefined();
    }
    expect((await get("/plain/a.txt", { "If-Match": '"other"' })).status).toBe(412);
  });

  // caddy#7358, caddy#6422: a browser that has the page asks for it with its tag, and the model then showed an empty
  // page.
  test.each([
    { "If-None-Match": "*" },
    { "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT" },
    { "If-Match": '"other"' },
    { Range: "bytes=0-3" },
    { Range: "bytes=100-" },
  ])("a page with a status of its own comes whole: %o", async (fields) => {
    const answer = await get("/status/a.txt", fields as Record<string, string>);
    expect([answer.status, answer.text, answer.headers["content-range"]]).toEqual([
      418,
      "0123456789",
      undefined,
    ]);
  });
});

describe("compressed files beside", () => {
  test("are sent to those who take them, with a tag of their own", async () => {
    const plain = await get("/zip/z.css");
    const answer = await get("/zip/z.css", { "Accept-Encoding": "br, gzip" });
    expect(answer.headers).toMatchObject({
      "content-encoding": "gzip",
      "content-type": "text/css; charset=utf-8",
      "content-length": String(gzipSync("body{}").length),
    });
    expect(answer.headers.etag).not.toBe(plain.headers.etag);
    expect(plain.text).toBe("body{}");
    expect((await get("/zip/a.txt", { "Accept-Encoding": "gzip" })).text).toBe("0123456789");
  });
});

describe("traversal", () => {
  const escapes = [
    "../",
    "%2e%2e/",
    "..%2f",
    "%2e%2e%2f",
    ".%2e/",
    "..%5c",
    "..\\",
    "%252e%252e%252f",
    "..%c0%af",
  ];

  test.each(escapes)("by %s finds nothing", async (dots) => {
    for (const count of [1, 3, 12]) {
      const path = `/plain/${dots.repeat(count)}etc/passwd`;
      const answer = await rawRequest(
        server.site,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).not.toContain("root:");
      expect(answer).toMatch(/^HTTP\/1\.1 (?:400|404|200 OK[\s\S]*Content-Length: 0)/);
    }
  });

  test("a NUL is refused", async () => {
    expect((await get("/plain/a.txt%00.html")).status).toBe(400);
  });
});
