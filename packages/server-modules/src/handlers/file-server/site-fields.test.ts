import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let root = "";
let server: RunningServer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "site-fields-"));
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "folder/index.html"), "<p>");
  writeFileSync(join(root, "a.html"), "<p>");
  utimesSync(join(root, "a.html"), 1_700_000_000, 1_700_000_000);
  const typed = {
    handler: "headers",
    response: {
      set: {
        "Content-Type": ["text/x"],
        Etag: ['"mine"'],
        "Last-Modified": ["Tue, 14 Nov 2000 22:13:20 GMT"],
        Location: ["/elsewhere"],
      },
    },
  };
  const files = { handler: "file_server", root };
  const framed = {
    handler: "headers",
    response: { set: { "Content-Length": ["1"], "Content-Range": ["x"], "Accept-Ranges": ["none"] } },
  };
  server = await RunningServer.start(
    siteConfig(
      { match: [{ header: { "X-Typed": ["1"] } }], handle: [typed, files] },
      { match: [{ header: { "X-Framed": ["1"] } }], handle: [framed, files] },
      {
        match: [{ path: ["/rewritten/*"] }],
        handle: [{ handler: "rewrite", uri: "/folder?p={http.request.uri.path.0}" }, files],
      },
      { handle: [files] },
    ),
  );
});

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});

const typed = { "X-Typed": "1" };
const get = (target: string, headers: Record<string, string> = {}, method = "GET"): Promise<HttpAnswer> =>
  ask(`${server.site}${target}`, { target, headers, method });

test("fields of the site stay on a file, but the time is the file's", async () => {
  const { headers } = await get("/a.html", typed);
  expect(headers).toMatchObject({
    "content-type": "text/x",
    etag: '"mine"',
    "last-modified": "Tue, 14 Nov 2023 22:13:20 GMT",
  });
});

test.each([
  ["GET", "3", "<p>", { "X-Framed": "1" }],
  ["HEAD", "3", "", { "X-Framed": "1" }],
  ["GET", "2", "<p", { "X-Framed": "1", Range: "bytes=0-1" }],
])("fields of the framing are the file's alone: %s of %s bytes", async (method, length, body, headers) => {
  const answer = await get("/a.html", headers, method);
  expect(answer.text).toBe(body);
  expect(answer.headers).toMatchObject({ "content-length": length, "accept-ranges": "bytes" });
  expect(answer.headers["content-range"] ?? "").toBe("Range" in headers ? "bytes 0-1/3" : "x");
});

test.each([
  ["/absent", {}, 404],
  ["/a.html", { "If-Match": '"other"' }, 412],
])("fields of the site stay on %s with %j: %i", async (target, more, status) => {
  const answer = await get(target, { ...typed, ...more });
  expect([answer.status, answer.headers["content-type"], answer.headers.etag, answer.text]).toEqual([
    status,
    "text/x",
    '"mine"',
    "",
  ]);
});

test("a failed precondition keeps the type of the file", async () => {
  expect((await get("/a.html", { "If-Match": '"other"' })).headers["content-type"]).toMatch(/^text\/html/);
});

test("a redirect has a page for people", async () => {
  const answer = await get("/folder?a=1&b='<");
  expect([answer.status, answer.headers["content-type"]]).toEqual([308, "text/html; charset=utf-8"]);
  expect(answer.text).toBe('<a href="/folder/?a=1&amp;b=&#39;&lt;">Permanent Redirect</a>.\n\n');
});

test("a redirect has one target, whatever the site has set", async () => {
  expect((await get("/folder", typed)).headers.location).toBe("/folder/");
});

test("a redirect has none where the site names a type, nor for another method", async () => {
  expect(await get("/folder", typed)).toMatchObject({ text: "", headers: { "content-type": "text/x" } });
  const posted = await get("/folder", {}, "POST");
  expect([posted.status, posted.text, posted.headers["content-type"]]).toEqual([308, "", undefined]);
});

test("a redirect keeps the query that a rewrite set", async () => {
  expect((await get("/rewritten/folder?old")).headers.location).toBe("/rewritten/folder/?p=rewritten");
});
