import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import {
  connect as connectHttp2,
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
} from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
const upstreams: (Server | Http2Server)[] = [];

/** Answers with the `Expect` that it received, and with the body. Node answers an expectation with 100 Continue. */
const echo = async (request: IncomingMessage | Http2ServerRequest) =>
  `${request.headers.expect ?? "none"}: ${await text(request)}`;

async function listen(server: Server | Http2Server): Promise<string> {
  upstreams.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let dials: Readonly<Record<string, string>>;
beforeAll(async () => {
  running = await RunningServer.start();
  const refusing = createServer();
  refusing.on("checkContinue", (_, response) => response.writeHead(401, { "Content-Length": 0 }).end());
  dials = {
    "1.1": await listen(createServer(async (request, response) => response.end(await echo(request)))),
    h2c: await listen(createHttp2Server(async (request, response) => response.end(await echo(request)))),
    refusing: await listen(refusing),
  };
});
afterAll(async () => {
  await running.close();
  for (const server of upstreams) {
    server.close();
  }
});

async function proxyTo(upstream: string, more: object = {}): Promise<void> {
  const transport = { protocol: "http", versions: [upstream === "h2c" ? "h2c" : "1.1"], ...more };
  const proxy = { handler: "reverse_proxy", transport, upstreams: [{ dial: dials[upstream] }] };
  const s = { listen: ["127.0.0.1:0"], protocols: ["h1", "h2c"], routes: [{ handle: [proxy] }] };
  const answer = await running.admin("POST", "/load", { apps: { http: { servers: { s } } } });
  expect(answer).toMatchObject({ status: 200 });
}

/** Posts `hello` after 100 Continue has arrived. @returns the statuses in order of arrival, and the last body */
async function post(expectation: string): Promise<string[]> {
  const { port } = new URL(running.site);
  const socket = connect(Number(port), "127.0.0.1");
  let seen = "";
  socket.on("data", (chunk) => {
    const isFirst = !seen.includes("100 Continue");
    seen += String(chunk);
    if (isFirst && seen.includes("100 Continue")) {
      socket.write("hello");
    }
  });
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${expectation}Content-Length: 5\r\n\r\n`);
  await once(socket, "close");
  const statuses = [...seen.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? "");
  const last = seen.slice(seen.lastIndexOf("HTTP/1.1 "));
  return [...statuses, last.slice(last.indexOf("\r\n\r\n") + 4)];
}

test.each([
  ["1.1", "Expect: 100-continue\r\n", "100-continue: hello"],
  ["1.1", "Expect: 100-continue, 100-continue\r\n", "100-continue, 100-continue: hello"],
  ["h2c", "Expect: 100-continue\r\n", "100-continue: hello"],
])("an upstream over %s gets %j, and the client one 100 Continue", async (upstream, field, body) => {
  await proxyTo(upstream);
  expect((await post(field)).join(" ")).toMatch(new RegExp(`^100 200 (?:[0-9a-f]+\r\n)?${body}`));
});

test("an upstream that refuses before the body gets none of it where the site waits", async () => {
  await proxyTo("refusing", { expect_continue_timeout: "1m" });
  expect(await post("Expect: 100-continue\r\n")).toEqual(["401", ""]);
});

test.each([
  ["none", {}],
  ["100-continue", { expect_continue_timeout: "1m" }],
])("over HTTP/2 the upstream gets the expectation %j, and the whole body", async (told, more) => {
  await proxyTo("1.1", more);
  const client = connectHttp2(running.site);
  const stream = client.request({ ":method": "POST", expect: "100-continue" });
  stream.on("continue", () => stream.end("hello"));
  expect(await text(stream)).toBe(`${told}: hello`);
  client.close();
});
