import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { guardFloods } from "./guard-floods.ts";

const open: { close(): void }[] = [];

afterEach(() => {
  for (const one of open.splice(0).reverse()) {
    one.close();
  }
});

/** A guarded server that reads all, and answers with this many bytes. */
async function listening(answerBytes: number): Promise<AddressInfo> {
  const grpcServer = { createHttp2Server: () => createServer() };
  guardFloods(grpcServer as never, () => {});
  const server: Http2Server = grpcServer.createHttp2Server();
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.resume();
    stream.respond();
    stream.end(Buffer.alloc(answerBytes));
  });
  server.on("session", (session) => session.on("error", () => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({ close: () => server.close() });
  return server.address() as AddressInfo;
}

/** A client of such a server. */
async function connected(answerBytes: number): Promise<ClientHttp2Session> {
  const { port } = await listening(answerBytes);
  const client = connect(`http://127.0.0.1:${port}`);
  client.on("error", () => {});
  open.push({ close: () => client.destroy() });
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
  // Like Go's gRPC: sends the next PING with the data that follows the response to the previous PING.
  for await (const chunk of client.request({ ":path": "/" })) {
    received += chunk.length;
    expect(await ping(client)).toBe(true);
    pings++;
  }
  expect(received).toBe(64 * 1024 * 1024);
  expect(pings).toBeGreaterThan(1_500);
});

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
});

/** Sends the preface, SETTINGS and WINDOW_UPDATE frames of one byte each. @returns code of GOAWAY, if any */
async function sendUpdates(port: number, frames: number): Promise<number | undefined> {
  const socket = connectSocket(port, "127.0.0.1");
  const update = Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  socket.write(Buffer.concat(Array.from({ length: frames }, () => update)));
  const received: Buffer[] = [];
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received.push(chunk);
    }
  } catch {
    // It was reset with bytes of ours unread.
  }
  const bytes = Buffer.concat(received);
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    if (bytes[at + 3] === 7) {
      return bytes.readUInt32BE(at + 13);
    }
  }
  return undefined;
}

test("a client that only sends WINDOW_UPDATE is sent away", async () => {
  const { port } = await listening(0);
  expect(await sendUpdates(port, 200_000)).toBe(11);
});

test("a client that uploads in small frames stays", async () => {
  const client = await connected(0);
  const stream = client.request({ ":path": "/", ":method": "POST" });
  const frames = 20_000;
  for (let frame = 0; frame < frames; frame++) {
    if (!stream.write(Buffer.alloc(600))) {
      await once(stream, "drain");
    }
  }
  stream.end();
  for await (const _ of stream) {
    // There is nothing in it.
  }
  await sleep(1_100);
  expect(await ping(client)).toBe(true);
});
