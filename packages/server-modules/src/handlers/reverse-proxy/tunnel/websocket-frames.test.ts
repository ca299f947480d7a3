import { expect, test } from "vitest";
import { closeFrame, WebSocketFrames } from "./websocket-frames.ts";

/** A frame of zeros. */
function frame(length: number, isMasked = false, opcode = 2): Buffer {
  const head = length < 126 ? [length] : length < 65536 ? [126, 0, 0] : [127, 0, 0, 0, 0, 0, 0, 0, 0];
  const bytes = Buffer.from([0x80 | opcode, ...head, ...(isMasked ? [1, 2, 3, 4] : [])]);
  if (length >= 65536) {
    bytes.writeBigUInt64BE(BigInt(length), 2);
  } else if (length >= 126) {
    bytes.writeUInt16BE(length, 2);
  }
  bytes[1] = (bytes[1] ?? 0) | (isMasked ? 0x80 : 0);
  return Buffer.concat([bytes, Buffer.alloc(length)]);
}

const lengths = [0, 1, 125, 126, 65535, 65536, 70000];

test.each([1, 2, 3, 7, 1000])("the ends of frames are found in pieces of %d bytes", (size) => {
  for (const isMasked of [false, true]) {
    const frames = new WebSocketFrames();
    const ends = new Set<number>();
    let bytes = Buffer.alloc(0);
    for (const length of lengths) {
      bytes = Buffer.concat([bytes, frame(length, isMasked)]);
      ends.add(bytes.length);
    }
    // Collected and compared once: an `expect` for each of 800,000 pieces takes most of the time.
    const found: number[] = [];
    const expected: number[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      frames.follow(bytes.subarray(at, at + size));
      const now = Math.min(at + size, bytes.length);
      if (frames.isBetween) {
        found.push(now);
      }
      if (ends.has(now)) {
        expected.push(now);
      }
    }
    expect(found).toEqual(expected);
    expect(frames.hasClosed).toBe(false);
  }
});

test("the end of the frame under way is told, wherever it is", () => {
  const frames = new WebSocketFrames();
  const first = frame(200);
  frames.follow(first.subarray(0, 1));
  expect(frames.followToEnd(first.subarray(1, 100))).toBe(-1);
  expect(frames.followToEnd(Buffer.concat([first.subarray(100), frame(3)]))).toBe(first.length - 100);
});

test("a close frame is seen when it is whole", () => {
  const frames = new WebSocketFrames();
  const close = closeFrame(true);
  frames.follow(close.subarray(0, 7));
  expect(frames.hasClosed).toBe(false);
  frames.follow(close.subarray(7));
  expect(frames.hasClosed).toBe(true);
});

test.each([false, true])("a close frame says 1001, masked: %s", (isMasked) => {
  const bytes = closeFrame(isMasked);
  expect([bytes[0], bytes[1]]).toEqual([0x88, isMasked ? 0x82 : 2]);
  const payload = bytes.subarray(-2);
  const mask = isMasked ? bytes.subarray(2, 6) : Buffer.alloc(4);
  expect(payload.map((byte, index) => byte ^ (mask[index] ?? 0))).toEqual(Buffer.from([0x03, 0xe9]));
});
