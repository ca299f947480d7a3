import { ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await UpstreamServer.start((request, response) => {
    if (request.url === "/agents") {
      response.end(`<${JSON.stringify(request.headersDistinct["user-agent"] ?? [])}>`);
      return;
    }
    if (request.url?.startsWith("/untyped")) {
      const body = Buffer.from("<p>hello");
      response.writeHead(request.url.endsWith("304") ? 304 : 200, {
        ...(request.url.endsWith("coded") ? { "content-encoding": "x" } : {}),
        ...(request.url.endsWith("none") ? { "content-length": 0 } : {}),
      });
      response.end(/none|304/.test(request.url) ? "" : body);
      return;
    }
    const { host, "x-forwarded-host": forwardedHost, "x-a": a } = request.headers;
    response.setHeader("Content-Type", "application/x-own");
    response.end(`<${[request.method, request.url, host, forwardedHost, a].join(" ")}>`);
  });
  running = await RunningServer.start(
    siteConfig({ handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] }),
  );
});
afterAll(async () => {
  await running.close();
  await upstream.kill();
});

test("requests of one connection that repeat their fields, or not, each reach the upstream as they are", async () => {
  const again = "Host: a\r\nX-A: 1\r\n\r\n";
  const answer = await rawRequest(
    running.site,
    `GET /1 HTTP/1.1\r\n${again}` +
      `DELETE /2 HTTP/1.1\r\n${again}` +
      `GET http://b.test/3 HTTP/1.1\r\n${again}` +
      `GET /4 HTTP/1.1\r\n${again}` +
      "GET /5 HTTP/1.1\r\nHost: a\r\nX-A: 2\r\nConnection: close\r\n\r\n",
  );
  expect(answer.match(/<[^>]*>/g)).toEqual([
    "<GET /1 a a 1>",
    "<DELETE /2 a a 1>",
    "<GET /3 b.test b.test 1>",
    "<GET /4 a a 1>",
    "<GET /5 a a 2>",
  ]);
});

test("an upstream that speaks for a client without a host gets its own address", async () => {
  const answer = await rawRequest(running.site, "GET /1 HTTP/1.0\r\n\r\n");
  expect(answer.match(/<[^>]*>/g)).toEqual([`<GET /1 ${upstream.address}  >`]);
});

test.each([
  [["a", "b"], ["a"]],
  [["a", ""], ["a"]],
  [["", "b"], []],
  [[""], []],
  [[], []],
])("of the user agents %j the upstream gets %j", async (sent, seen) => {
  const lines = sent.map((value) => `User-Agent: ${value}\r\n`).join("");
  const head = `GET /agents HTTP/1.1\r\nHost: a\r\n${lines}`;
  const answer = await rawRequest(running.site, `${head}\r\n${head}Connection: close\r\n\r\n`);
  expect(answer.match(/<[^>]*>/g)).toEqual([`<${JSON.stringify(seen)}>`, `<${JSON.stringify(seen)}>`]);
});

test.each([
  ["GET", "/untyped", "text/html; charset=utf-8"],
  ["HEAD", "/untyped", undefined],
  ["GET", "/untyped-none", undefined],
  ["GET", "/untyped-304", undefined],
  ["GET", "/untyped-coded", undefined],
])("%s %s, for which the upstream names no type, is told as %s", async (method, target, type) => {
  expect((await ask(running.site, { method, target })).headers["content-type"]).toBe(type);
});

test("a type that the site names, or takes out, is not the one that the upstream did not name", async () => {
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] };
  const types = async (target: string, response: object) => {
    await running.admin(
      "POST",
      "/load",
      siteConfig({ handle: [{ handler: "headers", response: { deferred: true, ...response } }, proxy] }),
    );
    return (await ask(running.site, { target })).headers["content-type"];
  };
  expect(await types("/untyped", { set: { "Content-Type": ["text/x"] } })).toBe("text/x");
  expect(await types("/typed", { delete: ["Content-Type"] })).toBe("text/plain; charset=utf-8");
});
