import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, respond } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function load(...wrappers: object[]) {
  const s = {
    listen: ["127.0.0.1:0"],
    routes: [{ match: [{ host: ["localhost"] }], ...(respond("{http.request.remote.host}") as object) }],
    tls_connection_policies: [{}],
    listener_wrappers: wrappers,
  };
  return running.admin("POST", "/load", { apps: { http: { servers: { s } } } });
}

/** @returns all bytes that the server sends */
async function send(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(running.site).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.write(bytes);
  return await text(socket).catch(() => "");
}

const redirect = { wrapper: "http_redirect" };
const tls = { wrapper: "tls" };
const proxy = { wrapper: "proxy_protocol", fallback_policy: "use" };

test("a plain request on a port of TLS is sent to https on the same port, and the connection ends", async () => {
  expect(await load(redirect, tls)).toMatchObject({ status: 200 });
  const answer = await send("GET /a?b=c HTTP/1.1\r\nHost: localhost:8443\r\n\r\nGET /second HTTP/1.1\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 308 Permanent Redirect\r\n/);
  expect(answer).toContain("\r\nLocation: https://localhost:8443/a?b=c\r\n");
  expect(answer).toContain("\r\nConnection: close\r\n");
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
});

test("TLS on that port is served, also behind a proxy's header", async () => {
  expect(await load(redirect, proxy, tls)).toMatchObject({ status: 200 });
  const header = "PROXY TCP4 192.0.2.7 192.0.2.8 4321 80\r\n";
  expect(await send(`${header}GET / HTTP/1.1\r\nHost: a\r\n\r\n`)).toContain("Location: https://a/\r\n");
  const socket = connect(Number(new URL(running.site).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(header);
  const secure = connectTls({ socket, servername: "localhost", rejectUnauthorized: false });
  await once(secure, "secureConnect");
  secure.write("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  expect(await text(secure)).toMatch(/192\.0\.2\.7$/);
});

test.each([
  ["without a host", "GET / HTTP/1.0\r\n\r\n", /^HTTP\/1\.[01] 400 /],
  ["for another resource than a path", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 400 /],
  ["that is malformed", "GET / HTTP/1.1\r\nHost: a\r\n : b\r\n\r\n", /^HTTP\/1\.1 400 /],
  ["with two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", /^HTTP\/1\.1 400 /],
])("a request %s is refused", async (_name, bytes, answer) => {
  await load(redirect, tls);
  const answered = await send(bytes);
  expect(answered).toMatch(answer);
  expect(answered).not.toContain("Location");
});

test("a head past max_header_bytes is refused", async () => {
  await load({ ...redirect, max_header_bytes: 100 }, tls);
  const long = `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(200)}\r\n\r\n`;
  expect(await send(long)).toMatch(/^HTTP\/1\.1 431 /);
});

test("without the wrapper the client is told what it did", async () => {
  await load(tls);
  expect(await send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).toContain("HTTP request to an HTTPS server");
});

test("behind tls it is refused", async () => {
  const answer = await load(tls, redirect);
  expect([answer.status, answer.error]).toEqual([
    400,
    expect.stringContaining("http_redirect stands before tls"),
  ]);
});
