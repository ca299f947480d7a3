import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const who = respond("{http.request.remote}");
const request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const header = "PROXY TCP4 192.0.2.7 192.0.2.8 4321 80\r\n";

async function load(wrappers: unknown[], more: object = {}) {
  const s = { listen: ["127.0.0.1:0"], routes: [who], listener_wrappers: wrappers, ...more };
  return running.admin("POST", "/load", { apps: { http: { servers: { s } } } });
}

/** @returns the body; "" when the connection was cut */
async function send(...pieces: string[]): Promise<string> {
  const socket = connect(Number(new URL(running.site).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  const answer = text(socket).catch(() => "");
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  return (await answer).split("\r\n\r\n")[1] ?? "";
}

test.each<[string, object, string, RegExp]>([
  ["ignore takes it off, and means the connection", {}, header + request, /^127\.0\.0\.1:\d+$/],
  ["ignore serves those without", {}, request, /^127\.0\.0\.1:\d+$/],
  ["use means the client", { fallback_policy: "use" }, header + request, /^192\.0\.2\.7:4321$/],
  ["use serves those without", { fallback_policy: "USE" }, request, /^127\.0\.0\.1:\d+$/],
  ["allowed proxies are believed", { allow: ["127.0.0.0/8"] }, header + request, /^192\.0\.2\.7:4321$/],
  ["those denied may send none", { deny: ["127.0.0.0/8"], fallback_policy: "use" }, header + request, /^$/],
  ["those denied are served without", { deny: ["127.0.0.0/8"] }, request, /^127\.0\.0\.1:\d+$/],
  ["require refuses those without", { fallback_policy: "require" }, request, /^$/],
  ["a malformed one is refused", { fallback_policy: "use" }, `PROXY TCP4 a b c d\r\n${request}`, /^$/],
])("%s", async (_name, more, bytes, answer) => {
  expect(await load([{ wrapper: "proxy_protocol", ...more }])).toMatchObject({ status: 200 });
  expect(await send(bytes)).toMatch(answer);
});

test("a header in pieces is waited for", async () => {
  await load([{ wrapper: "proxy_protocol", fallback_policy: "use" }]);
  expect(await send("PRO", "XY TCP4 192.0.2.7 192.0.2.8 43", "21 80\r\nGET", request.slice(3))).toBe(
    "192.0.2.7:4321",
  );
});

test("one that does not come in time ends the connection", async () => {
  await load([{ wrapper: "proxy_protocol", timeout: "50ms" }]);
  expect(await send("PROXY ")).toBe("");
});

test("before TLS, the client is known inside it", async () => {
  const secure = {
    tls_connection_policies: [{}],
    routes: [{ match: [{ host: ["localhost"] }], ...(who as object) }],
  };
  const wrappers = [{ wrapper: "proxy_protocol", fallback_policy: "use" }, { wrapper: "tls" }];
  expect(await load(wrappers, secure)).toMatchObject({ status: 200 });
  const socket = connect(Number(new URL(running.site).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(header);
  const tls = connectTls({ socket, servername: "localhost", rejectUnauthorized: false });
  await once(tls, "secureConnect");
  tls.write(request.replace("Host: a", "Host: localhost"));
  expect(await text(tls)).toMatch(/192\.0\.2\.7:4321$/);
});

test.each<[string, unknown[], string]>([
  ["behind tls", [{ wrapper: "tls" }, { wrapper: "proxy_protocol" }], "proxy_protocol stands before tls"],
  ["of another kind", [{ wrapper: "gzip" }], "unsupported listener wrapper"],
  ["with a range that is none", [{ wrapper: "proxy_protocol", allow: ["x"] }], "invalid IP address 'x'"],
])("a wrapper %s is refused", async (_name, wrappers, error) => {
  const answer = await load(wrappers);
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(error)]);
});
