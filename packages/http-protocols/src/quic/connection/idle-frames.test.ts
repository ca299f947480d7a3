import { expect, test } from "vitest";
import { connectedServer, sealedPacket, serverPeer } from "../../testing/connected-server.ts";
import { ByteWriter } from "../wire/byte-writer.ts";
import type { Connection } from "./connection.ts";
import type { CloseReason } from "./connection-options.ts";
import { IdleFrames } from "./idle-frames.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

function connect() {
  const seen: { closed?: CloseReason } = {};
  const connection = connectedServer(() => ({
    onConnected: () => {},
    onStream: () => {},
    onStreamClosed: () => {},
    onClosed: (reason) => {
      seen.closed = reason;
    },
  }));
  return { connection, seen };
}

/** Sends packets at one time. @returns the number of bytes that the server sent for them */
function send(connection: Connection, payloads: Iterable<Buffer>, now = 1): number {
  let number = 0;
  let bytes = 0;
  for (const payload of payloads) {
    connection.receive(sealedPacket(payload, number++), serverPeer, now);
    bytes += connection.takeDatagrams(now).reduce((sum, datagram) => sum + datagram.bytes.length, 0);
  }
  return bytes;
}

/** A frame for each of the peer's ids that we keep: later ones retire earlier ones. */
function* newIds(): Generator<Buffer> {
  for (let sequence = 1; ; sequence++) {
    const writer = new ByteWriter(64)
      .u8(0x18)
      .varint(sequence)
      .varint(sequence - 1)
      .u8(8);
    yield Buffer.from(writer.bytes(Buffer.alloc(4)).u32(sequence).bytes(Buffer.alloc(16, 3)).written);
  }
}

const repeated = (frame: string, times = 50) => Array.from({ length: 40 }, () => hex(frame.repeat(times)));

test.each<[string, Iterable<Buffer>]>([
  ["PING", repeated("01 ")],
  ["PATH_CHALLENGE", repeated("1a 0102030405060708 ")],
  ["MAX_DATA", repeated("10 01 ")],
  ["MAX_STREAMS", repeated("12 01 ")],
  ["DATA_BLOCKED", repeated("14 01 ")],
  ["STREAMS_BLOCKED", repeated("16 01 ")],
  ["STREAM_DATA_BLOCKED", repeated("15 00 01 ")],
  ["MAX_STREAM_DATA", repeated("0a 00 01 61 11 00 01 ")],
  ["STREAM without bytes", repeated("0a 00 00 ")],
  ["RETIRE_CONNECTION_ID", repeated("19 01 ")],
  ["ACK", repeated("02 00 00 00 00 ")],
])("a flood of %s ends the connection", (_, packets) => {
  const { connection, seen } = connect();
  // The server sends something, so that an acknowledgment has a packet 0.
  connection.takeDatagrams(1);
  const bytes = send(connection, packets);
  expect(seen.closed).toMatchObject({ by: "us", code: 0x0a, reason: "too many frames that move nothing" });
  expect(seen.closed?.fault).toBeUndefined();
  expect(bytes).toBeLessThan(60_000);
});

test("a flood of NEW_CONNECTION_ID ends the connection", () => {
  const { connection, seen } = connect();
  send(connection, newIds().take(2_000));
  expect(seen.closed).toMatchObject({ by: "us", code: 0x09 });
});

test("as many as a busy client sends are no flood", () => {
  const { connection, seen } = connect();
  connection.takeDatagrams(0);
  for (let second = 0; second < 10; second++) {
    send(connection, repeated("01", 4).slice(0, 40), second * 1_000);
  }
  expect(seen.closed).toBeUndefined();
});

test("packets with data earn the frames that answer them", () => {
  const idle = new IdleFrames(0);
  for (let round = 0; round < 5_000; round++) {
    idle.receive({ kind: "ping" }, 0, 1);
    idle.sent([{ kind: "maxData" }]);
  }
  const flood = () => {
    for (let round = 0; round < 1_001; round++) {
      idle.receive({ kind: "ping" }, 0, 1);
      idle.sent([{ kind: "newConnectionId", sequence: round }]);
    }
  };
  expect(flood).toThrow("too many frames that move nothing");
});
