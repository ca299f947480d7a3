import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader } from "./frame-reader.ts";
import { clientPreface, encodeFrame, errorCodes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

type Frame = readonly [type: number, flags: number, streamId: number, payload: string];

/** The frames in bytes that arrive in pieces. */
function framesOf(pieces: readonly Buffer[], preface?: Buffer): Frame[] {
  const frames: Frame[] = [];
  const reader = new FrameReader(
    {
      frame: (type, flags, streamId, payload) =>
        frames.push([type, flags, streamId, payload.toString("hex")]),
    },
    preface,
  );
  for (const piece of pieces) {
    reader.push(piece);
  }
  return frames;
}

/** Cuts bytes at places that are given as parts of the whole. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b)];
  return cuts.map((start, index) => bytes.subarray(start, cuts[index + 1]));
}

const anyFrame = fc.tuple(
  fc.integer({ min: 0, max: 255 }),
  fc.integer({ min: 0, max: 255 }),
  fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  fc.uint8Array({ maxLength: 60 }).map((payload) => Buffer.from(payload).toString("hex")),
);
const encoded = ([type, flags, streamId, payload]: Frame) =>
  encodeFrame(type, flags, streamId, Buffer.from(payload, "hex"));
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

describe("FrameReader", () => {
  test("keeps payloads on request, also of frames that came in pieces", () => {
    const payloads: Buffer[] = [];
    const sink = { frame: (...[, , , payload]: [number, number, number, Buffer]) => payloads.push(payload) };
    const reader = new FrameReader(sink, undefined, true);
    const bytes = Buffer.concat(["one", "two", "six"].map((text) => encodeFrame(0, 0, 1, Buffer.from(text))));
    for (const byte of bytes) {
      reader.push(Buffer.of(byte));
    }
    reader.push(bytes);
    expect(payloads.map(String)).toEqual(["one", "two", "six", "one", "two", "six"]);
  });

  test("gives the same frames however they are cut", () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 8 }), places, (frames, cuts) => {
        const bytes = Buffer.concat(frames.map(encoded));
        expect(framesOf(cutAt(bytes, cuts))).toEqual(frames);
        expect(framesOf(cutAt(Buffer.concat([clientPreface, bytes]), cuts), clientPreface)).toEqual(frames);
      }),
    );
  });

  test("takes the largest frame byte by byte, and the next one", () => {
    const frames: Frame[] = [
      [0, 1, 5, "ab".repeat(16_384)],
      [6, 0, 0, "01"],
    ];
    const pieces = [...Buffer.concat(frames.map(encoded))].map((byte) => Buffer.of(byte));
    expect(framesOf(pieces)).toEqual(frames);
  });

  test("leaves the reserved bit of a stream's number out", () => {
    const bytes = encodeFrame(0, 0, 7, Buffer.alloc(0));
    bytes[5] = 0x80;
    expect(framesOf([bytes])).toEqual([[0, 0, 7, ""]]);
  });

  test.each([[[]], [[0.05]], [[0.1, 0.2, 0.3]]])("refuses a frame that is too large, cut at %j", (cuts) => {
    const bytes = encodeFrame(0, 0, 1, Buffer.alloc(100));
    bytes.writeUIntBE(16_385, 0, 3);
    const error = new Http2Error(
      errorCodes.frameSizeError,
      "frame of 16385 bytes is over the limit of 16384",
    );
    expect(() => framesOf(cutAt(bytes, cuts))).toThrow(error);
  });

  test("refuses another preface with its first wrong byte", () => {
    const error = new Http2Error(errorCodes.protocolError, "the connection does not begin with HTTP/2");
    expect(() => framesOf([Buffer.from("PRI * HTTP/1")], clientPreface)).toThrow(error);
    expect(framesOf([Buffer.from("PRI * HTTP/2")], clientPreface)).toEqual([]);
  });
});
