import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { guardFloods } from "./guard-floods.ts";

const open: { close(): void }[] = [];

afterEach(() => {
  for (const one of open.splice(0).reverse()) {
    one.close();
  }
});

/** A guarded server that answers with this many bytes, and a client of it. */
async function connected(answerBytes: number): Promise<ClientHttp2Session> {
  const listening = { createHttp2Server: () => createServer() };
  guardFloods(listening as never);
  const server: Http2Server = listening.createHttp2Server();
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.respond();
    stream.end(Buffer.alloc(answerBytes));
  });
  server.on("session", (session) => session.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on("error", () => {});
  open.push({ close: () => server.close() }, { close: () => client.destroy() });
  await once(client, "connect");
  return client;
}

/** @returns false when the connection ended instead */
function ping(client: ClientHttp2Session): Promise<boolean> {
  return new Promise((resolve) => {
    if (client.destroyed || !client.ping((error) => resolve(error === null))) {
      resolve(false);
    }
  });
}

test("a client that measures the way while it downloads stays", async () => {
  const client = await connected(64 * 1024 * 1024);
  let pings = 0;
  let received = 0;
  // As Go's gRPC: the next PING goes with data that comes after the answer to the one before.
  for await (const chunk of client.request({ ":path": "/" })) {
    received += chunk.length;
    expect(await ping(client)).toBe(true);
    pings++;
  }
  expect(received).toBe(64 * 1024 * 1024);
  expect(pings).toBeGreaterThan(1_500);
}, 60_000);

test("a client that only sends PING is sent away", async () => {
  const client = await connected(0);
  const codes: number[] = [];
  client.on("goaway", (code: number) => codes.push(code));
  const closed = new Promise((resolve) => client.once("close", resolve));
  let pings = 0;
  while (await ping(client)) {
    pings++;
    expect(pings).toBeLessThan(100_000);
  }
  await closed;
  expect(codes).toContain(11);
  expect(pings).toBeGreaterThanOrEqual(900);
}, 60_000);
