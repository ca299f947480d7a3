import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "../../testing/ask.ts";
import { makeExchange } from "../../testing/make-exchange.ts";
import { provisionHandler } from "../../testing/provision-module.ts";
import { RunningServer, siteConfig } from "../../testing/running-server.ts";
import { UpstreamServer } from "../../testing/upstream-server.ts";

let upstream: UpstreamServer;
let server: RunningServer;

beforeAll(async () => {
  upstream = await UpstreamServer.start((request, response) => {
    text(request).then(
      (body) => response.end(`${request.headers["content-length"] ?? "-"} ${body}`),
      () => response.destroy(),
    );
  });
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] };
  server = await RunningServer.start(
    siteConfig(
      { match: [{ path: ["/limit"] }], handle: [{ handler: "request_body", max_size: 5 }, proxy] },
      {
        match: [{ path: ["/set"] }],
        handle: [{ handler: "request_body", set: "ü {http.request.method}" }, proxy],
      },
      {
        handle: [
          { handler: "request_body", max_size: 5 },
          { handler: "static_response", body: "unread" },
        ],
      },
    ),
  );
});

afterAll(async () => {
  await server.close();
  await upstream.kill();
});

test("a body within the limit passes", async () => {
  expect((await ask(`${server.site}/limit`, { method: "POST", body: "12345" })).text).toBe("5 12345");
  expect((await ask(`${server.site}/limit`)).text).toBe("- ");
});

test("one over it fails with 413 when it is read", async () => {
  const handler = await provisionHandler("request_body", { max_size: 5 });
  const exchange = makeExchange({ method: "POST", body: "123456" });
  await handler.handle(exchange, async () => {
    await expect(text(exchange.body)).rejects.toMatchObject({ status: 413 });
  });
  const unread = await ask(`${server.site}/`, { method: "POST", body: "123456" });
  expect([unread.status, unread.text]).toEqual([200, "unread"]);
});

test("a body can be replaced", async () => {
  expect((await ask(`${server.site}/set`, { method: "PUT", body: "old" })).text).toBe("6 ü PUT");
});
