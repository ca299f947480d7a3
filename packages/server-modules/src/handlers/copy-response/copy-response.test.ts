import { ask } from "server-core/testing/ask";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let upstream: UpstreamServer;
let running: RunningServer;

beforeAll(async () => {
  upstream = await UpstreamServer.start((_request, response) => {
    response.writeHead(404, { "X-Upstream": "one", "Content-Type": "text/plain" }).end("from the upstream");
  });
  const proxy = (...handle: object[]) => ({
    handler: "reverse_proxy",
    upstreams: [{ dial: upstream.address }],
    handle_response: [{ routes: [{ handle }] }],
  });
  const copy = (status?: unknown) => ({ handler: "copy_response", status_code: status });
  running = await RunningServer.start(
    siteConfig(
      { match: [{ path: ["/as-it-is"] }], handle: [proxy(copy())] },
      { match: [{ path: ["/status"] }], handle: [proxy(copy(203))] },
      {
        match: [{ path: ["/placeholder"] }],
        handle: [{ handler: "vars", code: "418" }, proxy(copy("{http.vars.code}"))],
      },
      { match: [{ path: ["/bad"] }], handle: [proxy(copy("{http.request.uri.path}"))] },
      {
        match: [{ path: ["/own-fields"] }],
        handle: [proxy({ handler: "headers", response: { set: { "X-Own": ["two"] } } }, copy())],
      },
      { match: [{ path: ["/outside"] }], handle: [copy()] },
    ),
  );
});
afterAll(async () => {
  await running.close();
  await upstream.kill();
});

test.each([
  ["/as-it-is", 404],
  ["/status", 203],
  ["/placeholder", 418],
])("%s: the response goes on with status %i, fields and body", async (path, status) => {
  const answer = await ask(running.site + path);
  expect([answer.status, answer.text, answer.headers["x-upstream"]]).toEqual([
    status,
    "from the upstream",
    "one",
  ]);
});

test("fields that handlers set before stay", async () => {
  const { headers } = await ask(`${running.site}/own-fields`);
  expect([headers["x-own"], headers["x-upstream"]]).toEqual(["two", "one"]);
});

test.each(["/bad", "/outside"])("%s: a status that is none, or no response at hand, is 500", async (path) => {
  expect((await ask(running.site + path)).status).toBe(500);
});
