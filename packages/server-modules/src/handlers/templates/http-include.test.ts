import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let server: RunningServer;

const page = (path: string, body: string, more: object = {}) => ({
  match: [{ path: [path] }],
  handle: [{ handler: "static_response", headers: { "Content-Type": ["text/html"] }, body, ...more }],
});

beforeAll(async () => {
  server = await RunningServer.start(
    siteConfig(
      { handle: [{ handler: "encode", encodings: { gzip: {} }, minimum_length: 1 }] },
      { match: [{ path: ["/outer*", "/loop"] }], handle: [{ handler: "templates" }] },
      page("/outer", `<{{httpInclude "/inner?a=b"}}>`),
      page("/outer-missing", `<{{httpInclude "/missing"}}>`),
      page("/outer-elsewhere", `<{{httpInclude "http://other.example/"}}>`),
      page("/outer-unknown", `<{{httpInclude "/outer-missing"}}>`),
      page("/loop", `<{{httpInclude "/loop"}}>`),
      page(
        "/inner",
        "{http.request.method} {http.request.uri} {http.request.host} {http.request.header.X} \\{\\{ .Req.URL.Path \\}\\}",
      ),
      page("/missing", "", { status_code: 404 }),
    ),
  );
});
afterAll(() => server.close());

test("takes in what the server answers itself, for the same host and fields, and runs it as a template", async () => {
  const answer = await ask(`${server.site}/outer`, {
    method: "POST",
    headers: { Host: "site.example", X: "1", "If-None-Match": "*" },
  });
  expect([answer.status, answer.text]).toEqual([200, "<GET /inner?a=b site.example 1 /outer>"]);
});

describe("the page fails", () => {
  test.each(["/outer-missing", "/outer-elsewhere", "/outer-unknown", "/loop"])("%s", async (path) => {
    expect((await ask(`${server.site}${path}`)).status).toBe(500);
  });
});
