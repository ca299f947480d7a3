import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function filledIn(
  text: string,
  target: string,
  options: Parameters<typeof ask>[1] = {},
): Promise<string> {
  const rewrite = {
    match: [{ path: ["/rewrite/*"] }],
    handle: [{ handler: "rewrite", method: "PUT", uri: "/new/p.gz?n=1" }],
  };
  const config = siteConfig(rewrite, { handle: [{ handler: "static_response", body: text }] });
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200, error: "" });
  return (await ask(running.site, { target, ...options })).text;
}

test.each([
  ["{http.request.uri.path.0}|{http.request.uri.path.1}|{http.request.uri.path.9}", "/a/b%20c/", "a|b c|"],
  ["{http.request.uri.path.dir}|{http.request.uri.path.file}", "/a/b.tar.gz", "/a/|b.tar.gz"],
  ["{http.request.uri.path.file.base}|{http.request.uri.path.file.ext}", "/a/b.tar.gz", "b.tar|.gz"],
  ["{http.request.uri_escaped}", "/a?b=c&d", "%2Fa%3Fb%3Dc%26d"],
  [
    "{http.request.uri.path_escaped}|{http.request.uri.query_escaped}",
    "/a b?c=d".replace(" ", "%20"),
    "%2Fa+b|c%3Dd",
  ],
  ["{http.request.host.labels.0}.{http.request.host.labels.2}.{http.request.host.labels.7}", "/", "com.www."],
  ["{http.request.cookie.b}|{http.request.cookie.none}", "/", "2|"],
  ["{http.request.remote.host/16}", "/", "127.0.0.0/16"],
  [
    "{http.request.remote.host/9,64}|{http.request.remote.host/33}|{http.request.remote.host/x}",
    "/",
    "127.0.0.0/9||",
  ],
  [
    "{http.request.proto} {http.request.proto_name} {http.vars.client_ip}",
    "/",
    "HTTP/1.1 HTTP/1.1 127.0.0.1",
  ],
  [
    "{http.request.method} {http.request.uri} {http.request.orig_method} {http.request.orig_uri} {http.request.orig_uri.path} {http.request.orig_uri.path.1} {http.request.orig_uri.path.file} {http.request.orig_uri.path.dir} {http.request.orig_uri.query} {http.request.orig_uri.prefixed_query}",
    "/rewrite/o%C3%A9?q=1",
    "PUT /new/p.gz?n=1 GET /rewrite/o%C3%A9?q=1 /rewrite/oé oé oé /rewrite/ q=1 ?q=1",
  ],
  ["\\{http.request.method\\} {http.request.nothing}", "/", "{http.request.method} {http.request.nothing}"],
])("%s for %s is %s", async (text, target, expected) => {
  const headers = { Host: "www.example.com:8080", Cookie: "a=1; b=2" };
  expect(await filledIn(text, target, { headers })).toBe(expected);
});

test("the body, read before the handlers of the route that names it", async () => {
  const text = "{http.request.body}|{http.request.body_base64}";
  expect(await filledIn(text, "/", { method: "POST", body: "häl" })).toBe("häl|aMOkbA==");
  expect(await filledIn(text, "/")).toBe("|");
  const long = Buffer.alloc(10 * 1024 * 1024 + 1, "a");
  expect((await ask(running.site, { method: "POST", body: long })).status).toBe(413);
});

test("times and durations", async () => {
  expect(await filledIn("{time.now.common_log}", "/")).toMatch(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  expect(await filledIn("{http.request.duration} {http.request.duration_ms}", "/")).toMatch(
    /^[\d.]+(?:µs|ms|s) \d+\.\d+$/,
  );
});
