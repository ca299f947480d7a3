import { expect, test } from "vitest";
import { frameTypes as httpFrames } from "../../../http-protocols/src/http3/frame-reader.ts";
import { FieldSectionWriter } from "../../../http-protocols/src/http3/qpack-encoder.ts";
import { encodeFrame } from "../../../http-protocols/src/http3/settings.ts";
import { ByteWriter } from "../../../http-protocols/src/quic/wire/byte-writer.ts";
import { frameTypes, streamBits } from "../../../http-protocols/src/quic/wire/frames.ts";
import {
  connectedServer,
  sealedPacket,
  serverPeer,
} from "../../../http-protocols/src/testing/connected-server.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import { H3Connection } from "./h3-connection.ts";

const noLimits: ConnectionLimits = {
  ...{ readHeaderTimeoutMs: 0, readTimeoutMs: 0, readIdleTimeoutMs: 0, readMinRate: 0 },
  ...{ writeTimeoutMs: 0, writeIdleTimeoutMs: 0, maxWriteChunk: 65_536, writeMinRate: 0, idleTimeoutMs: 0 },
  ...{ keepAliveMs: 0, keepAliveIntervalMs: 0, keepAliveCount: 0, maxHeaderBytes: 16_384 },
};

const ping = Buffer.of(frameTypes.ping);

/** A STREAM frame of the first stream. @param fin true: the stream ends */
function streamFrame(bytes: Buffer, fin: boolean): Buffer {
  const type = frameTypes.stream | streamBits.length | (fin ? streamBits.fin : 0);
  return Buffer.from(new ByteWriter(256).u8(type).varint(0).varint(bytes.length).bytes(bytes).written);
}

const get = encodeFrame(
  httpFrames.headers,
  new FieldSectionWriter()
    .add(":method", "GET")
    .add(":scheme", "https")
    .add(":authority", "a")
    .add(":path", "/").written,
);

/**
 * A connection that responds with `body` to a client that takes 65,535 bytes, and acknowledges nothing. The clock of
 * QUIC stands still, so only HTTP's time limits end the connection.
 */
function connectionWith(limits: Partial<ConnectionLimits>, body = "") {
  const closed: string[] = [];
  let made: H3Connection | undefined;
  const quic = connectedServer((connection) => {
    made = new H3Connection(
      connection,
      {
        limits: { ...noLimits, ...limits },
        take: (stream) => stream.respond(200, [], body),
        fault: (error) => {
          throw error;
        },
        h3Closed: () => closed.push("closed"),
        tunnelOpened: () => {},
      },
      serverPeer,
    );
    return made;
  });
  let packets = 0;
  return {
    connection: made as H3Connection,
    closed,
    /** Delivers a frame, lets handlers run, and sends what the client's window allows. */
    receive: async (frame: Buffer) => {
      quic.receive(sealedPacket(frame, packets++), serverPeer, 0);
      await new Promise(setImmediate);
      quic.takeDatagrams(0);
    },
    /** Sends what the pacer held back. */
    send: () => {
      for (let at = 0; at < 1_000; at++) {
        quic.takeDatagrams(at);
      }
    },
  };
}

test("a client that reads nothing is cut, even when most of the response was never handed to QUIC", async () => {
  const { connection, receive, send, closed } = connectionWith(
    { writeIdleTimeoutMs: 300, idleTimeoutMs: 60_000 },
    "a".repeat(2_000_000),
  );
  await receive(streamFrame(get, true));
  send();
  const begin = Date.now();
  for (let now = begin; now < begin + 300; now += 50) {
    connection.checkTimeouts(now);
    await receive(ping);
  }
  expect(closed).toEqual([]);
  connection.checkTimeouts(begin + 300);
  expect(closed).toEqual(["closed"]);
});

test("a client that never acknowledges a response does not keep an idle connection open", async () => {
  const { connection, receive, send, closed } = connectionWith({ idleTimeoutMs: 300 }, "short");
  const begin = Date.now();
  await receive(streamFrame(get, true));
  send();
  connection.checkTimeouts(begin + 299);
  await receive(ping);
  expect(closed).toEqual([]);
  connection.checkTimeouts(Date.now() + 300);
  expect(closed).toEqual(["closed"]);
});

test("a stream without a request does not keep an idle connection open", async () => {
  const { connection, receive, closed } = connectionWith({ idleTimeoutMs: 300 });
  const begin = Date.now();
  await receive(streamFrame(get.subarray(0, 3), false));
  connection.checkTimeouts(begin + 299);
  expect(closed).toEqual([]);
  connection.checkTimeouts(Date.now() + 300);
  expect(closed).toEqual(["closed"]);
});
