import { once } from "node:events";
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { Tunnel } from "./tunnel.ts";

test.each([
  ["odd", 0],
  ["odd", 100],
  ["websocket", 0],
])("a tunnel of the protocol %s (buffer %d) counts what the client sends", async (protocol, bufferBytes) => {
  const [client, inner] = duplexPair();
  const [outer, upstream] = duplexPair();
  const socket = Object.assign(inner, { bytesWritten: 0 });
  const early = Buffer.from("hi");
  const tunnel = new Tunnel({ socket, head: Buffer.from("\x82\x01a") }, outer, {
    protocol,
    bufferBytes,
    early,
  });
  client.write("\x82\x02bc");
  client.end("\x82\x00");
  client.resume();
  expect(await text(upstream)).toBe("\x82\x01a\x82\x02bc\x82\x00");
  upstream.end();
  await once(inner, "close");
  expect(tunnel.bytesFromClient).toBe(Buffer.byteLength("\x82\x01a\x82\x02bc\x82\x00"));
});
