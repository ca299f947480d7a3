import { Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { status } from "@grpc/grpc-js";
import {
  clientPreface,
  encodeFrame,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
  settingIds,
} from "http-protocols/http2";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing/damaged-message";
import { Connection } from "../../src/receivers/unary-grpc/connection.ts";
import { MessageBuffers } from "../../src/receivers/unary-grpc/message-buffers.ts";
import type { UnaryMethod } from "../../src/receivers/unary-grpc/unary-method.ts";
import { UnfinishedBytes } from "../../src/receivers/unfinished-bytes.ts";
import { callFields, dataFrame, grpcMessage, headersFrame } from "./raw-client.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 4_000);
const timeoutMs = 20_000 + rounds * 2;

const maxMessageBytes = 5_000;
const maxBuffersBytes = 1_000_000;
const path = "/test.Echo/Echo";
const begun = Buffer.concat([clientPreface, encodeSettings(new Map())]);
const { endStream, endHeaders, padded, priority } = frameFlags;

function compressedCall(streamId: number, encoding: string, body: Buffer): Buffer {
  const fields = callFields({ name: "grpc-encoding", value: encoding });
  return Buffer.concat([headersFrame(streamId, fields), dataFrame(streamId, grpcMessage(body, 1))]);
}

const block = encodeHeaders(callFields());
/** A literal that the table remembers, then its index: `user-agent: x`. */
const remembered = Buffer.from("7a0178", "hex");
const text = Buffer.from("spans ".repeat(30));

/** The messages of clients on one connection: every frame, and every form of a message. */
const conversations: readonly Buffer[] = [
  [headersFrame(1, callFields()), dataFrame(1, grpcMessage("hello"))],
  [headersFrame(1, callFields()), dataFrame(1, grpcMessage(text), 0), dataFrame(1, Buffer.alloc(0))],
  [compressedCall(1, "gzip", gzipSync(text)), compressedCall(3, "deflate", deflateSync(text))],
  [
    compressedCall(1, "zstd", zstdCompressSync(text)),
    compressedCall(3, "gzip", gzipSync(Buffer.alloc(9_000))),
  ],
  [
    encodeFrame(frameTypes.headers, 0, 1, block.subarray(0, 20)),
    encodeFrame(frameTypes.continuation, 0, 1, block.subarray(20, 50)),
    encodeFrame(frameTypes.continuation, endHeaders, 1, block.subarray(50)),
    dataFrame(1, Buffer.concat([Buffer.of(3), grpcMessage("hi"), Buffer.alloc(3)]), padded | endStream),
  ],
  [
    encodeFrame(
      frameTypes.headers,
      endHeaders | priority | padded,
      1,
      Buffer.concat([Buffer.from("02000000000f", "hex"), block, remembered, Buffer.alloc(2)]),
    ),
    encodeFrame(frameTypes.priority, 0, 1, Buffer.alloc(5, 3)),
    encodeWindowUpdate(1, 1_000),
    dataFrame(1, grpcMessage("hi"), 0),
    encodeFrame(frameTypes.headers, endHeaders | endStream, 1, encodeHeaders([{ name: "x", value: "y" }])),
    encodeFrame(frameTypes.headers, endHeaders, 3, Buffer.concat([block, Buffer.of(0xbe)])),
    dataFrame(3, grpcMessage("again")),
  ],
  [
    encodeSettings(new Map([[settingIds.initialWindowSize, 3]])),
    encodeFrame(frameTypes.ping, 0, 0, Buffer.alloc(8, 1)),
    headersFrame(1, callFields()),
    headersFrame(3, callFields()),
    dataFrame(1, grpcMessage("twelve bytes")),
    encodeRstStream(3, errorCodes.cancel),
    encodeWindowUpdate(1, 100),
    encodeWindowUpdate(0, 100),
    encodeFrame(frameTypes.goAway, 0, 0, Buffer.alloc(8)),
  ],
].map((frames) => Buffer.concat([begun, ...frames]));

/** One end of a connection, in memory. */
class MemorySocket extends Duplex {
  readonly sent: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.sent.push(chunk);
    done();
  }
}

/** @throws Error unless all that was sent is whole frames; @returns the codes of GOAWAY */
function goAwayCodes(sent: Buffer): number[] {
  const codes: number[] = [];
  let at = 0;
  while (at < sent.length) {
    const end = at + frameHeaderBytes + sent.readUIntBE(at, 3);
    if (end > sent.length) {
      throw new Error("a frame was sent in part");
    }
    if (sent[at + 3] === frameTypes.goAway) {
      codes.push(sent.readUInt32BE(at + frameHeaderBytes + 4));
    }
    at = end;
  }
  return codes;
}

test(
  "answers damaged HTTP/2 and gRPC as HTTP/2 says, keeps no memory, and never fails inside",
  async () => {
    const random = randomOf(2026);
    const buffers = new MessageBuffers(new UnfinishedBytes(maxBuffersBytes));
    const seen = { calls: 0, failures: 0, goAways: 0 };
    const echo: UnaryMethod = {
      async call(message) {
        expect(message.length).toBeLessThanOrEqual(maxMessageBytes);
        seen.calls++;
        return Buffer.from(message);
      },
      failureOf: (error) => ({ code: status.UNKNOWN, details: String(error) }),
      refused: () => {
        seen.failures++;
      },
    };
    const settings = { methods: new Map([[path, echo]]), buffers, maxMessageBytes };
    for (let round = 0; round < rounds; round++) {
      const damaged = damagedMessage(conversations, random);
      // The beginning is mostly good: a wrong one is refused at once, and nothing behind it is read.
      if (random(10) > 0) {
        begun.copy(damaged);
      }
      const socket = new MemorySocket({ emitClose: true });
      try {
        new Connection(socket, settings);
        const cut = random(damaged.length);
        socket.push(damaged.subarray(0, cut));
        socket.push(damaged.subarray(cut));
        await turn();
        await turn();
        const codes = goAwayCodes(Buffer.concat(socket.sent));
        expect(codes).not.toContain(errorCodes.internalError);
        if (codes.length > 0) {
          seen.goAways++;
        }
      } catch (error) {
        throw new Error(`round ${round}: ${damaged.toString("hex")}`, { cause: error });
      }
      socket.destroy();
      await turn();
      if (buffers.bytes > 0) {
        throw new Error(`round ${round} keeps memory: ${damaged.toString("hex")}`);
      }
    }
    expect(seen.calls).toBeGreaterThan(rounds / 20);
    expect(seen.failures).toBeGreaterThan(rounds / 50);
    expect(seen.goAways).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
