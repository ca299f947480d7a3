import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterEach, expect, test } from "vitest";
import { RunningServer } from "../../../../../admin-server/src/testing/running-server.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});

/** One end of a tunnel: it collects the received bytes and notices the end. */
class End {
  readonly stream: Duplex;
  bytes = Buffer.alloc(0);
  readonly #ended: Promise<unknown>;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.on("data", (chunk: Buffer) => {
      this.bytes = Buffer.concat([this.bytes, chunk]);
    });
    this.#ended = Promise.race([once(stream, "end"), once(stream, "close")]);
    this.#ended.catch(() => {});
  }

  async has(text: string): Promise<void> {
    while (!this.bytes.includes(text)) {
      await once(this.stream, "data");
    }
  }

  /** The bytes after `text`, up to the end. */
  async restAfter(text: string): Promise<Buffer> {
    await this.#ended;
    return this.bytes.subarray(this.bytes.indexOf(text) + text.length);
  }
}

const hello = "\x81\x05hello";
const close = Buffer.from([0x88, 2, 0x03, 0xe9]);

/** The unmasked form of a masked close frame. */
function unmasked(frame: Buffer): Buffer {
  expect([frame[0], frame[1], frame.length]).toEqual([0x88, 0x82, 8]);
  const payload = frame.subarray(6).map((byte, index) => byte ^ (frame[2 + index] ?? 0));
  return Buffer.concat([Buffer.from([0x88, 2]), payload]);
}

interface Opened {
  readonly running: RunningServer;
  readonly client: End;
  readonly upstream: End;
}

/** A WebSocket through the proxy, after the upstream has sent its greeting. */
async function open(options: object = {}, version: 1 | 2 = 1, protocol = "websocket"): Promise<Opened> {
  const upgraded = Promise.withResolvers<Duplex>();
  const server = await UpstreamServer.start(() => {});
  cleanups.push(() => server.kill());
  server.server.on("upgrade", (_, socket) => {
    socket.allowHalfOpen = true;
    socket.on("error", () => {});
    cleanups.push(() => socket.destroy());
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    socket.write(hello, "latin1");
    upgraded.resolve(socket);
  });
  const handle = [{ handler: "reverse_proxy", upstreams: [{ dial: server.address }], ...options }];
  const s = { listen: ["127.0.0.1:0"], protocols: ["h1", "h2", "h2c"], routes: [{ handle }] };
  const running = await RunningServer.start({ apps: { http: { servers: { s } } } });
  cleanups.push(() => running.close());
  const client = new End(version === 1 ? openHttp1(running.site, protocol) : await openHttp2(running.site));
  await client.has("hello");
  return { running, client, upstream: new End(await upgraded.promise) };
}

function openHttp1(site: string, protocol: string): Duplex {
  const socket = connect({ port: Number(new URL(site).port), host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {});
  cleanups.push(() => socket.destroy());
  socket.write(
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  return socket;
}

async function openHttp2(site: string): Promise<Duplex> {
  const session = connectHttp2(site);
  cleanups.push(() => session.destroy());
  await once(session, "remoteSettings");
  const stream = session.request(
    { ":method": "CONNECT", ":protocol": "websocket", ":path": "/", "sec-websocket-version": "13" },
    { endStream: false },
  );
  stream.on("error", () => {});
  return stream;
}

const ends: Record<string, [object, (running: RunningServer) => unknown]> = {
  "a reload that removes the server": [
    {},
    (running) => running.admin("DELETE", "/config/apps/http/servers/s"),
  ],
  "the end of the server": [{}, (running) => running.server.stop()],
  stream_timeout: [{ stream_timeout: 1 }, () => {}],
  stream_close_delay: [
    { stream_close_delay: 1 },
    (running) => running.admin("PATCH", "/config/apps/http/servers/s/routes", []),
  ],
};

test.each(Object.keys(ends).flatMap((name) => [1, 2].map((version) => [name, version] as const)))(
  "%s closes both sides with 1001, over HTTP/%d",
  async (name, version) => {
    const [options, end] = ends[name] ?? [{}, () => {}];
    const { running, client, upstream } = await open(options, version as 1 | 2);
    upstream.stream.once("end", () => upstream.stream.end());
    client.stream.once("end", () => client.stream.end());
    const ending = end(running);
    expect(await client.restAfter(hello.slice(2))).toEqual(close);
    expect(unmasked(await upstream.restAfter(""))).toEqual(close);
    await ending;
  },
);

test("a frame under way is not broken", async () => {
  const { running, client, upstream } = await open();
  upstream.stream.write(Buffer.from([0x82, 5, 1, 2]));
  await client.has("\x01\x02");
  const ending = running.server.stop();
  await upstream.restAfter("");
  upstream.stream.write(Buffer.from([3, 4, 5, 0x81, 1, 0x61]));
  expect(await client.restAfter(hello.slice(2))).toEqual(
    Buffer.concat([Buffer.from([0x82, 5, 1, 2, 3, 4, 5]), close]),
  );
  await ending;
});

test("a side that has closed gets no second close frame", async () => {
  const { running, client, upstream } = await open();
  upstream.stream.write(Buffer.from([0x88, 2, 0x03, 0xe8]));
  await client.has("\x03");
  const ending = running.server.stop();
  expect(await client.restAfter(hello.slice(2))).toEqual(Buffer.from([0x88, 2, 0x03, 0xe8]));
  await ending;
});

test("one that answers nothing is cut", async () => {
  const { running, client } = await open();
  const closed = once(client.stream, "close");
  await running.server.stop();
  client.stream.end();
  await closed;
});

test("other protocols are cut", async () => {
  const { running, client } = await open({}, 1, "foo");
  const ending = running.server.stop();
  expect(await client.restAfter(hello.slice(2))).toEqual(Buffer.alloc(0));
  await ending;
});

test.each(["websocket", "foo"])("a side of %s that has said all still listens", async (protocol) => {
  for (const first of ["client", "upstream"] as const) {
    const sides = await open({}, 1, protocol);
    const [ending, going] =
      first === "client" ? [sides.client, sides.upstream] : [sides.upstream, sides.client];
    ending.stream.end(Buffer.from([0x81, 1, 0x61]));
    await going.restAfter("");
    going.stream.end(Buffer.from([0x81, 1, 0x62]));
    await ending.restAfter("");
    expect(ending.bytes.subarray(-3)).toEqual(Buffer.from([0x81, 1, 0x62]));
    expect(going.bytes.subarray(-3)).toEqual(Buffer.from([0x81, 1, 0x61]));
  }
});
