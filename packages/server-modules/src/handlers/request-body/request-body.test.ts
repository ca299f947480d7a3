import { text } from "node:stream/consumers";
import { makeExchange } from "http-engine/testing/make-exchange";
import { ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let upstream: UpstreamServer;
let server: RunningServer;
let upstreamRequests = 0;

beforeAll(async () => {
  upstream = await UpstreamServer.start((request, response) => {
    upstreamRequests++;
    text(request).then(
      (body) => response.end(`${request.headers["content-length"] ?? "-"} ${body}`),
      () => response.destroy(),
    );
  });
  const limit = { handler: "request_body", max_size: 5 };
  const got = { handler: "static_response", body: "got {http.request.body}" };
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] };
  server = await RunningServer.start(
    siteConfig(
      { match: [{ path: ["/limit"] }], handle: [{ handler: "request_body", max_size: 5 }, proxy] },
      { match: [{ path: ["/placeholder"] }], handle: [limit, got] },
      {
        match: [{ path: ["/subroute"] }],
        handle: [{ handler: "subroute", routes: [{ handle: [limit] }, { handle: [got] }] }],
      },
      {
        match: [{ path: ["/matcher"] }],
        handle: [
          {
            handler: "subroute",
            routes: [
              { handle: [limit] },
              { match: [{ vars_regexp: { "{http.request.body}": { pattern: "^12" } } }], handle: [got] },
            ],
          },
        ],
      },
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

/** Sends a request unchanged, and returns the status of the response. */
async function statusOf(text: string): Promise<string | undefined> {
  return (await rawRequest(server.site, text)).match(/^HTTP\/1\.1 (\d+)/)?.[1];
}

test("one that is declared to be over it gets 413 before a byte of it is passed on", async () => {
  const before = upstreamRequests;
  const head = "POST /limit HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
  expect(await statusOf(`${head}Content-Length: 6\r\n\r\n123456`)).toBe("413");
  expect(await statusOf(`${head}Content-Length: 6\r\nExpect: 100-continue\r\n\r\n`)).toBe("413");
  expect(upstreamRequests).toBe(before);
});

test("one without a length gets 413 when it is read that far", async () => {
  const chunked =
    "HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n123456\r\n0\r\n\r\n";
  expect(await statusOf(`POST /limit ${chunked}`)).toBe("413");
  expect(await statusOf(`POST / ${chunked}`)).toBe("200");
});

test("placeholders and matchers get no more of a body than the limit", async () => {
  for (const path of ["/placeholder", "/subroute", "/matcher"]) {
    const small = await ask(`${server.site}${path}`, { method: "POST", body: "12345" });
    expect([path, small.status, small.text]).toEqual([path, 200, "got 12345"]);
    const large = await ask(`${server.site}${path}`, { method: "POST", body: "123456" });
    expect([path, large.status]).toEqual([path, 413]);
  }
});

test("one that is declared to be over it gets 413 whether somebody reads it or not, another is let be", async () => {
  const handler = await provisionHandler("request_body", { max_size: 5 });
  const unread = (body: string) => () => handler.handle(makeExchange({ method: "POST", body }), () => {});
  expect(unread("123456")).toThrow("larger than the limit of 5 bytes");
  expect(unread("12345")).not.toThrow();
});

test("a set body is held to the limit too", async () => {
  const handler = await provisionHandler("request_body", { max_size: 5, set: "123456" });
  expect(() => handler.handle(makeExchange(), () => {})).toThrow("larger than the limit of 5 bytes");
});

test("a body can be replaced", async () => {
  expect((await ask(`${server.site}/set`, { method: "PUT", body: "old" })).text).toBe("6 ü PUT");
});
