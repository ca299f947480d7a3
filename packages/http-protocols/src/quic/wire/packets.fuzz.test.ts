import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { QuicError } from "../quic-error.ts";
import { ByteReader } from "./byte-reader.ts";
import { readFrame, shortFrame } from "./frames.ts";
import { readPacketHeader, readVersionlessHeader } from "./packet-header.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 5_000);
const timeoutMs = 20_000 + rounds * 2;

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const headers = [
  hex("c000000001 08 8394c8f03e515708 00 00 401e").toString("hex") + "00".repeat(30),
  `e000000001 02 aabb 01 cc 1e ${"00".repeat(30)} 41 0102030405060708 ${"00".repeat(30)}`,
  "f000000001 00 08 f067a5502a4262b5 746f6b656e 04a265ba2eff4d829058fb3f0f2496ba",
  "c01a2a3a4a 02 aabb 01 cc 00",
].map(hex);
const payloads = [
  "00 00 01 02 0a 05 00 02 03 4a00 00 01 00 01 02 01 02 03",
  "06 01 02 aabb 06 4003 02 ccdd 07 01 ff 1c 0a 06 02 6869",
  "04 04 4100 07 05 04 07 10 8000ffff 11 04 05 12 05 13 c000000000000001 14 05 15 04 05 16 05 17 05",
  `18 02 01 04 eeeeeeee ${"11".repeat(16)} 19 02 1a 0102030405060708 1b 0102030405060708 1e`,
  "0a 00 02 aabb 0f 04 03 01 aa 0d 08 c000000000000005 aabbcc",
].map(hex);

test(
  "reads damaged headers as packets that lie within the datagram, or not at all",
  () => {
    const random = randomOf(43);
    let read = 0;
    for (let round = 0; round < rounds; round++) {
      const datagram = damagedMessage(headers, random);
      const header = readVersionlessHeader(datagram);
      expect(header === undefined || header.sourceId.length < 256).toBe(true);
      for (let at = 0; at < datagram.length; ) {
        const packet = readPacketHeader(datagram, at, 8);
        if (packet === undefined) {
          break;
        }
        read++;
        if (packet.end <= at || packet.end > datagram.length || packet.destinationId.length > 20) {
          throw new Error(datagram.toString("hex"));
        }
        at = packet.end;
      }
    }
    expect(read).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);

test(
  "reads damaged payloads as frames or a QuicError, never otherwise",
  () => {
    const random = randomOf(44);
    const seen = { frames: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const payload = damagedMessage(payloads, random);
      const reader = new ByteReader(payload, shortFrame);
      try {
        while (reader.left > 0) {
          const from = reader.at;
          const frame = readFrame(reader, random(4) === 0 ? "handshake" : "1rtt");
          seen.frames++;
          if (reader.at <= from || reader.at > payload.length) {
            throw new Error("no progress");
          }
          if (frame.kind === "ack" && frame.ranges.some(({ low, high }) => low > high || low < 0)) {
            throw new Error("ranges out of order");
          }
        }
      } catch (error) {
        if (!(error instanceof QuicError)) {
          throw new Error(payload.toString("hex"), { cause: error });
        }
        seen.refused++;
      }
    }
    expect(seen.frames).toBeGreaterThan(rounds / 4);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
