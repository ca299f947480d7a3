import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { encodeHeaders } from "../http2/encode-headers.ts";
import {
  clientPreface,
  encodeFrame,
  encodeRstStream,
  encodeWindowUpdate,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
} from "../http2/frames.ts";
import type { HeaderField } from "../http2/header-field.ts";
import { statusDetails } from "../testing/status-details.ts";
import { grpcAnswerOf, prefixed } from "./grpc-answer.ts";
import { Http2Connection } from "./http2-connection.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 4_000);
const timeoutMs = 20_000 + rounds * 2;

const { endHeaders, endStream, padded, ack } = frameFlags;
const settings = encodeFrame(frameTypes.settings, 0, 0, Buffer.from("000300000064000400001000", "hex"));
const settingsAck = encodeFrame(frameTypes.settings, ack, 0, Buffer.alloc(0));
const headers = (streamId: number, fields: HeaderField[], flags = 0) =>
  encodeFrame(frameTypes.headers, endHeaders | flags, streamId, encodeHeaders(fields));
const ok: HeaderField[] = [
  { name: ":status", value: "200" },
  { name: "content-type", value: "application/grpc" },
];
const retryInfo = statusDetails({ seconds: 5, nanos: 0 }).toString("base64");
const refused: HeaderField[] = [
  { name: "grpc-status", value: "8" },
  { name: "grpc-message", value: "the journal is full, 100%25" },
  { name: "grpc-status-details-bin", value: retryInfo },
];
const block = encodeHeaders([...ok, ...refused]);

/** Collectors' messages for two calls, on streams 1 and 3. */
const conversations: readonly Buffer[] = [
  [
    headers(1, ok),
    encodeFrame(frameTypes.data, 0, 1, prefixed(Buffer.alloc(0))),
    headers(1, [{ name: "grpc-status", value: "0" }], endStream),
    headers(3, [...ok, ...refused], endStream),
  ],
  [
    encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8, 7)),
    encodeWindowUpdate(0, 1_000),
    encodeWindowUpdate(1, 1_000),
    headers(3, ok),
    encodeFrame(
      frameTypes.data,
      padded,
      3,
      Buffer.concat([Buffer.of(2), prefixed(Buffer.from("ok")), Buffer.alloc(2)]),
    ),
    encodeRstStream(1, 7),
    headers(3, [{ name: "grpc-status", value: "0" }], endStream),
  ],
  [
    encodeFrame(frameTypes.headers, 0, 1, block.subarray(0, 30)),
    encodeFrame(frameTypes.continuation, 0, 1, block.subarray(30, 60)),
    encodeFrame(frameTypes.continuation, endHeaders, 1, block.subarray(60)),
    encodeFrame(frameTypes.data, endStream, 1, Buffer.alloc(0)),
    encodeFrame(frameTypes.goAway, 0, 0, Buffer.from("0000000100000000", "hex")),
  ],
  // Indexed fields, and a value in Huffman's code: `:status 200`, `server: www.example.com`.
  [
    encodeFrame(frameTypes.headers, endHeaders, 1, Buffer.from("88768cf1e3c2e5f23a6ba0ab90f4ff", "hex")),
    encodeFrame(frameTypes.settings, 0, 0, Buffer.from("000400000001", "hex")),
    headers(1, [{ name: "grpc-status", value: "14" }], endStream),
    headers(3, [{ name: ":status", value: "503" }], endStream),
  ],
].map((frames) => Buffer.concat([settings, settingsAck, ...frames]));

/** One end of a connection, in memory. */
class MemorySocket extends Duplex {
  readonly sent: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.sent.push(chunk);
    done();
  }
}

/** @throws Error unless the sent bytes are the preface and whole frames */
function checkFrames(sent: Buffer): void {
  let at = clientPreface.length;
  expect(sent.subarray(0, at).equals(clientPreface)).toBe(true);
  while (at < sent.length) {
    at += frameHeaderBytes + sent.readUIntBE(at, 3);
  }
  expect(at, "whole frames").toBe(sent.length);
}

test(
  "ends every call once whatever damaged answers a collector gives",
  async () => {
    const random = randomOf(2026);
    const seen = { good: 0, failed: 0, ended: 0 };
    const request = encodeHeaders([{ name: ":method", value: "POST" }]);
    for (let round = 0; round < rounds; round++) {
      const damaged = damagedMessage(conversations, random);
      // After invalid settings nothing is read, so most runs leave the settings valid.
      if (random(10) > 0) {
        settings.copy(damaged);
      }
      const ends = [0, 0];
      let hasEnded = 0;
      let isOpened = false;
      try {
        const socket = new MemorySocket();
        const connection = new Http2Connection(socket, {
          onReady: () => {
            isOpened = true;
            for (const index of ends.keys()) {
              connection.request(request, Buffer.alloc(300), (outcome) => {
                ends[index] = (ends[index] ?? 0) + 1;
                if (grpcAnswerOf(outcome).status === "OK") {
                  seen.good++;
                } else {
                  seen.failed++;
                }
              });
            }
          },
          onGoingAway: () => {},
          onEnd: () => {
            hasEnded++;
          },
        });
        const cut = random(damaged.length);
        socket.push(damaged.subarray(0, cut));
        socket.push(damaged.subarray(cut));
        await turn();
        if (hasEnded > 0) {
          seen.ended++;
        }
        connection.destroy("the round is over");
        await turn();
        checkFrames(Buffer.concat(socket.sent));
        expect(hasEnded, "onEnd").toBe(1);
        if (isOpened) {
          expect(ends, "ends of each call").toEqual([1, 1]);
        }
      } catch (error) {
        throw new Error(`round ${round}: ${damaged.toString("hex")}`, { cause: error });
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 50);
    expect(seen.failed).toBeGreaterThan(rounds / 20);
    expect(seen.ended).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
