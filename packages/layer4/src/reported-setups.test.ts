// Setups that people reported as broken with other proxies of raw connections.

import { once } from "node:events";
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { proxyProtocolHeader } from "http-engine/proxy-protocol/proxy-protocol-header";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import {
  addressOf,
  connected,
  exchange,
  layer4Config,
  namedUpstream,
  portOf,
} from "./testing/layer4-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const tlsApp = {
  automation: { policies: [{ issuers: [{ module: "internal" }] }] },
  certificates: { automate: ["localhost", "inner.localhost"] },
};
const echo = { handler: "echo" };
const to = (dial: string) => ({ handler: "proxy", upstreams: [{ dial: [dial] }] });

async function load(routes: unknown[]): Promise<number> {
  const config = layer4Config(routes) as { apps: Record<string, unknown> };
  const answer = await running.admin("POST", "/load", { apps: { ...config.apps, tls: tlsApp } });
  expect([answer.status, answer.error]).toEqual([200, ""]);
  return portOf(running);
}

/** TLS over a stream. */
async function shake(stream: Duplex, servername: string): Promise<TLSSocket> {
  const secure = connectTls({ socket: stream, servername, rejectUnauthorized: false });
  secure.on("error", () => {});
  await once(secure, "secureConnect");
  return secure;
}

/** A stream whose bytes leave in pieces, each in a packet of its own, as those of a large ClientHello do. */
function inPieces(socket: Duplex, size: number): Duplex {
  const stream = new Duplex({
    read() {},
    async write(chunk: Buffer, _encoding, done) {
      for (let at = 0; at < chunk.length; at += size) {
        socket.write(chunk.subarray(at, at + size));
        await sleep(1);
      }
      done();
    },
    final(done) {
      socket.end(() => done());
    },
  });
  socket.on("data", (chunk: Buffer) => stream.push(chunk));
  socket.on("end", () => stream.push(null));
  return stream;
}

test("a hello in pieces finds its route, also where a later route has said no", async () => {
  const port = await load([
    { match: [{ tls: { sni: ["localhost"] } }], handle: [{ handler: "tls" }, echo] },
    { match: [{ http: [{ host: ["a.test"] }] }], handle: [{ handler: "close" }] },
  ]);
  const socket = await connected(port);
  socket.setNoDelay(true);
  const secure = await shake(inPieces(socket, 120), "localhost");
  const answer = text(secure);
  secure.end("hello");
  expect(await answer).toBe("hello");
});

test.each([
  ["in one packet", 10_000],
  ["in pieces", 50],
])("a PROXY header of version 2 and a hello %s: SNI is matched behind the header", async (_name, size) => {
  const port = await load([
    { match: [{ proxy_protocol: {} }], handle: [{ handler: "proxy_protocol", allow: ["127.0.0.0/8"] }] },
    {
      match: [{ tls: { sni: ["localhost"] }, remote_ip: { ranges: ["192.0.2.7"] } }],
      handle: [{ handler: "tls" }, echo],
    },
  ]);
  const socket = await connected(port);
  socket.setNoDelay(true);
  const pieces = inPieces(socket, size);
  const [source, destination] = ["192.0.2.7", "192.0.2.8"];
  pieces.write(proxyProtocolHeader("v2", { source, destination, sourcePort: 1, destinationPort: 443 }));
  const secure = await shake(pieces, "localhost");
  const answer = text(secure);
  secure.end("behind");
  expect(await answer).toBe("behind");
});

test("TLS within TLS: the inner name chooses", async () => {
  const port = await load([
    { match: [{ tls: { sni: ["localhost"] } }], handle: [{ handler: "tls" }] },
    { match: [{ tls: { sni: ["inner.localhost"] } }], handle: [{ handler: "tls" }, echo] },
  ]);
  const inner = await shake(await shake(await connected(port), "localhost"), "inner.localhost");
  inner.write("twice");
  expect(String((await once(inner, "data"))[0])).toBe("twice");
  inner.destroy();
});

test("a client that waits for the server to speak: the upstream has the PROXY header at once", async () => {
  const server = createServer((socket) => {
    socket.once("data", (chunk: Buffer) => socket.end(`220 ${chunk}`));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const port = await load([{ handle: [{ ...to(addressOf(server)), proxy_protocol: "v1" }] }]);
  expect(await text(await connected(port))).toMatch(/^220 PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\n$/);
});

test("a port of health checks changes nothing about where connections go", async () => {
  const [real, probed] = [await namedUpstream("real"), await namedUpstream("probed")];
  onTestFinished(() => {
    real.close();
    probed.close();
  });
  const active = { port: Number(addressOf(probed).split(":")[1]), interval: "10ms" };
  const port = await load([{ handle: [{ ...to(addressOf(real)), health_checks: { active } }] }]);
  await once(probed, "connection");
  await sleep(30);
  expect(await exchange(port, "x")).toBe("real:x");
});

test("each name but one goes elsewhere", async () => {
  const port = await load([
    { match: [{ tls: {}, not: [{ tls: { sni: ["localhost"] } }] }], handle: [{ handler: "close" }] },
    { match: [{ tls: {} }], handle: [{ handler: "tls" }, echo] },
  ]);
  for (let round = 0; round < 5; round++) {
    const secure = await shake(await connected(port), "localhost");
    const answer = text(secure);
    secure.end("mine");
    expect(await answer).toBe("mine");
  }
  await expect(shake(await connected(port), "inner.localhost")).rejects.toThrow();
});
