import { expect, test } from "vitest";
import { ByteReader } from "./byte-reader.ts";
import { readFrame, shortFrame } from "./frames.ts";
import type { PacketType } from "./packet-header.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const read = (text: string, packet: PacketType = "1rtt") => {
  const reader = new ByteReader(hex(text), shortFrame);
  const frame = readFrame(reader, packet);
  expect(reader.left).toBe(0);
  return frame;
};

test.each([
  ["00 00 00", { kind: "padding" }],
  ["01", { kind: "ping" }],
  ["02 0a 05 00 02", { kind: "ack", ranges: [{ low: 8, high: 10 }], delay: 5, congestionMarks: undefined }],
  [
    "03 0a 00 01 00 01 02 01 02 03",
    {
      kind: "ack",
      ranges: [
        { low: 10, high: 10 },
        { low: 5, high: 7 },
      ],
      delay: 0,
      congestionMarks: 3,
    },
  ],
  ["04 04 4100 07", { kind: "resetStream", streamId: 4, code: 256, finalSize: 7 }],
  ["05 04 07", { kind: "stopSending", streamId: 4, code: 7 }],
  ["06 01 02 aabb", { kind: "crypto", offset: 1, data: hex("aabb") }],
  ["07 01 ff", { kind: "newToken", token: hex("ff") }],
  ["08 00 aabb", { kind: "stream", streamId: 0, offset: 0, data: hex("aabb"), fin: false }],
  ["0f 04 03 01 aa", { kind: "stream", streamId: 4, offset: 3, data: hex("aa"), fin: true }],
  ["10 05", { kind: "maxData", limit: 5 }],
  ["11 04 05", { kind: "maxStreamData", streamId: 4, limit: 5 }],
  ["12 05", { kind: "maxStreams", bidi: true, limit: 5 }],
  ["13 d000000000000000", { kind: "maxStreams", bidi: false, limit: Number.MAX_SAFE_INTEGER }],
  ["14 05", { kind: "dataBlocked", limit: 5 }],
  ["15 04 05", { kind: "streamDataBlocked", streamId: 4, limit: 5 }],
  ["17 05", { kind: "streamsBlocked", bidi: false, limit: 5 }],
  [
    `18 02 01 01 ee ${"11".repeat(16)}`,
    {
      kind: "newConnectionId",
      sequence: 2,
      retirePriorTo: 1,
      id: hex("ee"),
      resetToken: hex("11".repeat(16)),
    },
  ],
  ["19 02", { kind: "retireConnectionId", sequence: 2 }],
  ["1a 0102030405060708", { kind: "pathChallenge", data: hex("0102030405060708") }],
  ["1b 0102030405060708", { kind: "pathResponse", data: hex("0102030405060708") }],
  ["1c 0a 06 02 6869", { kind: "connectionClose", code: 10, application: false, reason: hex("6869") }],
  ["1d 4100 00", { kind: "connectionClose", code: 256, application: true, reason: hex("") }],
  ["1e", { kind: "handshakeDone" }],
])("reads %s", (text, frame) => {
  expect(read(text)).toEqual(frame);
});

test.each([
  ["an unknown type", "1f"],
  ["a type of extensions", "4030"],
  ["data that ends too early", "06 00 05 aa"],
  ["an empty token", "07 00"],
  ["acknowledged packets below 0", "02 02 00 00 03"],
  ["a gap below 0", "02 02 00 01 01 02 00"],
  ["more ranges than bytes", "02 05 00 7fff 00 00 00"],
  ["more than 2^60 streams", "12 d000000000000001"],
  ["streams blocked beyond 2^60", "16 ffffffffffffffff"],
  ["data beyond 2^62", "0e 00 ffffffffffffffff ffffffffffffffff"],
  ["an empty connection id", `18 02 01 00 ${"11".repeat(16)}`],
  ["a connection id of 21 bytes", `18 02 01 15 ${"11".repeat(37)}`],
  ["a connection id that retires itself", `18 01 02 01 ee ${"11".repeat(16)}`],
])("refuses %s", (_, text) => {
  expect(() => readFrame(new ByteReader(hex(text), shortFrame), "1rtt")).toThrow(
    expect.objectContaining({ name: "QuicError", code: 0x07 }),
  );
});

test.each([
  ["handshake", "10 05"],
  ["handshake", "1d 00 00"],
  ["initial", "08 00 aa"],
  ["0rtt", "02 00 00 00 00"],
  ["0rtt", "06 00 00"],
  ["1rtt", "4001"],
] as const)("a packet of %s must not have %s", (packet, text) => {
  expect(() => readFrame(new ByteReader(hex(text), shortFrame), packet)).toThrow(
    expect.objectContaining({ code: 0x0a }),
  );
});
