import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let upstream: Server;
/** Answers with exactly the bytes in `oldAnswer`. */
let old: Server;
let oldAnswer = "";
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
  old = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", async () => {
      for (const byte of Buffer.from(oldAnswer, "latin1")) {
        socket.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      socket.end();
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => old.once("listening", resolve));
});
afterAll(async () => {
  old.close();
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

test.each([
  ["lines that end with LF", "HTTP/1.1 201 Made\nA: b\nContent-Length: 4\n\n\r\n\r\n", "b", "\r\n\r\n"],
  ["an empty line of CR LF", "HTTP/1.1 201 Made\nA: b\nContent-Length: 2\n\r\nok", "b", "ok"],
  ["LF in an interim answer", "HTTP/1.1 103 Hints\n\nHTTP/1.1 201 Made\nA: b\n\nok", "b", "ok"],
  ["a folded field", "HTTP/1.1 201 Made\r\nA: b\r\n\tc\r\nContent-Length: 2\r\n\r\nok", "b c", "ok"],
  ["a name with a blank", "HTTP/1.1 201 Made\r\nA : b\r\nContent-Length: 2\r\n\r\nok", null, "ok"],
])("an answer of an older program is understood: %s", async (_, answer, field, body) => {
  const dial = `127.0.0.1:${(old.address() as { port: number }).port}`;
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial }] };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).error).toBe("");
  oldAnswer = answer;
  const response = await fetch(running.site);
  expect([response.status, response.headers.get("a"), await response.text()]).toEqual([201, field, body]);
});

test("a length with a blank before its colon is no answer", async () => {
  const dial = `127.0.0.1:${(old.address() as { port: number }).port}`;
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial }] };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).error).toBe("");
  oldAnswer = "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok";
  expect((await fetch(running.site)).status).toBe(502);
});

test.each([
  ["held in a buffer", { response_buffers: 1000 }],
  ["held for a while", { flush_interval: "1h" }],
  ["held for its routes", { handle_response: [{ routes: [{ handle: [{ handler: "copy_response" }] }] }] }],
  ["not held", {}],
])("a client gets what an upstream sent before it broke off, %s", async (_, more) => {
  const broken = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
  }).listen(0, "127.0.0.1");
  await once(broken, "listening");
  onTestFinished(() => void broken.close());
  const dial = `127.0.0.1:${(broken.address() as { port: number }).port}`;
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial }], ...more };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).error).toBe("");
  const socket = connect(Number(new URL(running.site).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  await once(socket, "close");
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nonly this$/s);
});
