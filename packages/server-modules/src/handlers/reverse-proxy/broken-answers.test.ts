import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let upstream: Server;
beforeAll(async () => {
  running = await RunningServer.start();
  // The chunk's size is missing.
  upstream = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () =>
      socket.end(
        "HTTP/1.1 200 OK\r\nServer: up\r\nX-Up: 1\r\nContent-Type: text/css\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\nhello\r\n0\r\n\r\n",
      ),
    );
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => upstream.once("listening", resolve));
});
afterAll(async () => {
  upstream.close();
  await running.close();
});

test.each([
  ["a body that is read before its head goes on", { response_buffers: 1000 }],
  ["a body that is kept for templates", {}],
])("a chunk that is none is the upstream's fault, not the client's: %s", async (_, more) => {
  const dial = `127.0.0.1:${(upstream.address() as { port: number }).port}`;
  const templates = { handler: "templates", mime_types: ["text/css"] };
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial }], ...more };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [templates, proxy] }))).error).toBe("");
  const answer = await fetch(running.site).then(
    ({ status }) => status,
    () => "cut",
  );
  expect(answer).toBe(502);
});

test("the page of the error has none of the fields of the answer that broke", async () => {
  const dial = `127.0.0.1:${(upstream.address() as { port: number }).port}`;
  const own = { handler: "headers", response: { set: { "X-Own": ["1"] } } };
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial }], response_buffers: 1000 };
  const page = {
    handler: "static_response",
    headers: { "Content-Type": ["text/plain"] },
    status_code: "{http.error.status_code}",
    body: "sorry",
  };
  const routes = [{ handle: [own, { handler: "templates", mime_types: ["text/css"] }, proxy] }];
  const server = { listen: ["127.0.0.1:0"], routes, errors: { routes: [{ handle: [page] }] } };
  const config = { apps: { http: { servers: { s: server } } } };
  expect((await running.admin("POST", "/load", config)).error).toBe("");
  const answer = await fetch(running.site);
  expect([answer.status, await answer.text()]).toEqual([502, "sorry"]);
  const fields = ["server", "via", "x-up", "x-own", "content-type"].map((name) => answer.headers.get(name));
  expect(fields).toEqual(["server", null, null, "1", "text/plain"]);
});
