import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  frameHeaderBytes,
  headerStateOf,
  isFrame,
  scanFrames,
  segmentHeader,
  segmentHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

function frame(payload: Uint8Array, rows: number): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(frameHeaderBytes), payload]);
  writeFrameHeader(bytes, rows);
  return bytes;
}

const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 6 });

function segmentOf(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([segmentHeader(), ...parts.map((part, index) => frame(part, index + 1))]);
}

describe("a segment", () => {
  test("gives back what was framed", () => {
    fc.assert(
      fc.property(payloads, (parts) => {
        const file = segmentOf(parts);
        const length = file.length;
        const read: { payload: Buffer; rows: number }[] = [];
        const scan = scanFrames(file, (start, bytes, rows) => {
          const header = file.subarray(start, start + frameHeaderBytes);
          const payload = file.subarray(start + frameHeaderBytes, start + bytes);
          expect(isFrame(header, payload, true)).toBe(true);
          read.push({ payload, rows });
        });
        expect(read).toEqual(parts.map((part, index) => ({ payload: Buffer.from(part), rows: index + 1 })));
        expect(scan).toEqual({
          rows: (parts.length * (parts.length + 1)) / 2,
          wholeBytes: length,
          damagedBytes: 0,
        });
      }),
    );
  });

  test("cut anywhere, keeps exactly the whole frames before the cut", () => {
    fc.assert(
      fc.property(payloads, fc.double({ min: 0, max: 1, noNaN: true }), (parts, share) => {
        const file = segmentOf(parts);
        const kept = file.subarray(0, Math.floor(file.length * share));
        let whole = segmentHeaderBytes;
        let rows = 0;
        for (const [index, part] of parts.entries()) {
          if (whole + frameHeaderBytes + part.length > kept.length) break;
          whole += frameHeaderBytes + part.length;
          rows += index + 1;
        }
        expect(scanFrames(kept)).toEqual({ rows, wholeBytes: Math.min(whole, kept.length), damagedBytes: 0 });
      }),
    );
  });

  test("with any one bit flipped in a frame, loses that frame and, unless its length is hit, no other", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 50 }), fc.nat(), (part, at) => {
        const good = frame(part, 3);
        const bad = Buffer.from(good);
        const bit = at % (bad.length * 8);
        bad[bit >> 3] = bad[bit >> 3]! ^ (1 << (bit & 7));
        const file = Buffer.concat([segmentHeader(), good, bad, good]);
        const isLengthHit = bit < 32;
        expect(scanFrames(file)).toEqual(
          isLengthHit
            ? { rows: 3, wholeBytes: segmentHeaderBytes + good.length, damagedBytes: 0 }
            : { rows: 6, wholeBytes: file.length, damagedBytes: bad.length },
        );
      }),
    );
  });

  test("zeros after the last frame are torn", () => {
    const file = Buffer.concat([segmentOf([Buffer.from("x")]), Buffer.alloc(4096)]);
    expect(scanFrames(file).wholeBytes).toBe(segmentHeaderBytes + frameHeaderBytes + 1);
  });
});

test("headers are told apart", () => {
  const header = segmentHeader();
  expect(headerStateOf(header)).toBe("ours");
  expect(headerStateOf(header.subarray(0, 15))).toBe("torn");
  expect(headerStateOf(Buffer.alloc(16))).toBe("torn");
});
