import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mendedHeader } from "./mended-header.ts";
import { scanFrames } from "./scan-frames.ts";
import {
  endMarkBytes,
  frameHeaderBytes,
  isFrame,
  readSegmentHeader,
  seededForm,
  segmentBeginning,
  segmentHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

const seed = 0xfeed_beef;
const form = seededForm(seed);

function frame(payload: Uint8Array, rows: number, ofSeed = seed): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(frameHeaderBytes), payload]);
  writeFrameHeader(bytes, rows, ofSeed);
  return bytes;
}

const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { maxLength: 6 });

const endMark = (ofSeed = seed) => frame(Buffer.alloc(0), 0, ofSeed);

/** A segment without its end mark. */
function segmentOf(parts: readonly Uint8Array[], ofSeed = seed): Buffer {
  const header = segmentBeginning(ofSeed).subarray(0, segmentHeaderBytes);
  return Buffer.concat([header, ...parts.map((part, index) => frame(part, index + 1, ofSeed))]);
}

describe("a segment", () => {
  test("gives back what was framed", () => {
    fc.assert(
      fc.property(payloads, (parts) => {
        const file = segmentOf(parts);
        const length = file.length;
        const read: { payload: Buffer; rows: number }[] = [];
        const scan = scanFrames(file, form, (start, bytes, rows) => {
          const header = file.subarray(start, start + frameHeaderBytes);
          const payload = file.subarray(start + frameHeaderBytes, start + bytes);
          expect(isFrame(header, payload, seed)).toBe(true);
          read.push({ payload, rows });
        });
        expect(read).toEqual(parts.map((part, index) => ({ payload: Buffer.from(part), rows: index + 1 })));
        expect(scan).toEqual({
          rows: (parts.length * (parts.length + 1)) / 2,
          wholeBytes: length,
          damagedBytes: 0,
          ...{ damages: [], mended: [] },
          isEnded: true,
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
          if (whole + frameHeaderBytes + part.length > kept.length) {
            break;
          }
          whole += frameHeaderBytes + part.length;
          rows += index + 1;
        }
        expect(scanFrames(kept, form)).toMatchObject({
          rows,
          wholeBytes: Math.min(whole, kept.length),
          damagedBytes: 0,
        });
      }),
    );
  });

  test("with any one byte changed in any frame, loses that frame alone, and nothing where its header was hit", () => {
    fc.assert(
      fc.property(
        payloads,
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (parts, which, at, flip) => {
          if (parts.length === 0) {
            return;
          }
          const hit = which % parts.length;
          const whole = parts.map((part, index) => ({
            part: Buffer.from(part),
            rows: Math.min(index, part.length - 1) + 1,
          }));
          const file = Buffer.concat([
            segmentOf([]),
            ...whole.map(({ part, rows }) => frame(part, rows)),
            endMark(),
          ]);
          const written = Buffer.from(file);
          const start =
            segmentHeaderBytes +
            whole.slice(0, hit).reduce((sum, { part }) => sum + frameHeaderBytes + part.length, 0);
          const length = frameHeaderBytes + (whole[hit]?.part.length ?? 0);
          const place = start + (at % length);
          file[place] = file[place]! ^ flip;
          const isHeaderHit = place < start + frameHeaderBytes;
          const all = whole.reduce((sum, { rows }) => sum + rows, 0);
          const rows = whole[hit]?.rows ?? 0;
          const read: number[] = [];
          expect(scanFrames(file, form, (at) => read.push(at))).toEqual({
            rows: isHeaderHit ? all : all - rows,
            wholeBytes: written.length - endMarkBytes,
            damagedBytes: isHeaderHit ? 0 : length,
            damages: isHeaderHit ? [] : [{ start, bytes: length, rows }],
            mended: isHeaderHit ? [start] : [],
            isEnded: true,
          });
          expect(read).toHaveLength(parts.length - (isHeaderHit ? 0 : 1));
          if (isHeaderHit) {
            expect(file.equals(written)).toBe(true);
          }
        },
      ),
    );
  });

  test("with any byte of its header changed, has it mended from its first frame", () => {
    const file = segmentOf([Buffer.from("first"), Buffer.from("second")]);
    for (let at = 0; at < segmentHeaderBytes; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const damaged = Buffer.from(file);
        damaged[at] = damaged[at]! ^ flip;
        expect(readSegmentHeader(damaged).state).toBe("torn");
        expect(mendedHeader(damaged)).toEqual(file.subarray(0, segmentHeaderBytes));
      }
    }
    // The first frame may be damaged too, if the seed in the header is readable.
    const both = Buffer.from(file);
    both[0] = both[0]! ^ 1;
    both[segmentHeaderBytes + frameHeaderBytes] = both[segmentHeaderBytes + frameHeaderBytes]! ^ 1;
    expect(mendedHeader(both)).toEqual(file.subarray(0, segmentHeaderBytes));
    for (const none of [Buffer.alloc(0), segmentOf([]), Buffer.alloc(4_096, 7), Buffer.alloc(4_096)]) {
      const damaged = Buffer.from(none);
      damaged.fill(1, 0, Math.min(9, damaged.length));
      expect(mendedHeader(damaged)).toBeUndefined();
    }
  });

  test.each([
    ["nothing", Buffer.alloc(0), true],
    ["zeros", Buffer.alloc(4096), true],
    ["an end mark", endMark(), true],
    ["an end mark and anything", Buffer.concat([endMark(), Buffer.alloc(4096, 7)]), true],
    ["an end mark of another segment", endMark(seed + 1), false],
    ["anything", Buffer.alloc(4096, 7), false],
    ["a torn frame", frame(Buffer.from("torn"), 1).subarray(0, -1), false],
  ])("after the last frame %s: whether it is the last one", (_, tail, isEnded) => {
    const whole = segmentOf([Buffer.from("x")]);
    expect(scanFrames(Buffer.concat([whole, tail]), form)).toEqual({
      rows: 1,
      wholeBytes: whole.length,
      damagedBytes: 0,
      ...{ damages: [], mended: [] },
      isEnded,
    });
  });
});

describe("a file that is used again", () => {
  /** Payloads of equal length occur often, so that frames of both uses lie at the same positions. */
  const alike = fc.array(
    fc.oneof(
      fc.constantFrom("x", "xx", "yy").map((text) => Buffer.from(text)),
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
    ),
    { maxLength: 8 },
  );
  const lives = fc.array(alike, { minLength: 1, maxLength: 4 });

  /** Contents of a file after several uses; all uses except the last have an end mark. */
  function written(earlier: readonly (readonly Uint8Array[])[], last: Buffer): Buffer {
    let file = Buffer.alloc(0);
    const over = (bytes: Buffer) => {
      file = Buffer.concat([bytes, file.subarray(bytes.length)]);
    };
    for (const [life, parts] of earlier.entries()) {
      over(Buffer.concat([segmentOf(parts, life), endMark(life)]));
    }
    over(last);
    return file;
  }

  test("gives the frames of its last segment, and no other", () => {
    fc.assert(
      fc.property(lives, alike, (earlier, parts) => {
        const segment = segmentOf(parts);
        const file = written(earlier, Buffer.concat([segment, endMark()]));
        const read: Buffer[] = [];
        const scan = scanFrames(file, form, (start, bytes) => {
          read.push(file.subarray(start + frameHeaderBytes, start + bytes));
        });
        expect(read).toEqual(parts.map((part) => Buffer.from(part)));
        expect(scan).toMatchObject({ wholeBytes: segment.length, damagedBytes: 0, isEnded: true });
      }),
    );
  });

  test("whose last write was cut short anywhere, gives the frames that are whole, and no other", () => {
    fc.assert(
      fc.property(lives, alike, fc.uint8Array({ minLength: 1 }), fc.nat(), (earlier, parts, torn, at) => {
        const segment = segmentOf(parts);
        const before = written(earlier, Buffer.concat([segment, endMark()]));
        const write = Buffer.concat([frame(torn, 7), endMark()]);
        const cut = write.subarray(0, at % write.length);
        const file = Buffer.concat([
          segment,
          cut,
          before.subarray(segment.length + cut.length, before.length),
        ]);
        // The missing bytes may exist already from an earlier use.
        const frameBytes = write.length - endMarkBytes;
        const isThere = file
          .subarray(segment.length, segment.length + frameBytes)
          .equals(write.subarray(0, frameBytes));
        expect(scanFrames(file, form)).toMatchObject({
          rows: (parts.length * (parts.length + 1)) / 2 + (isThere ? 7 : 0),
          wholeBytes: segment.length + (isThere ? frameBytes : 0),
          damagedBytes: 0,
        });
      }),
    );
  });

  test("and whose new header alone got to the disk, has no frames", () => {
    fc.assert(
      fc.property(lives, (earlier) => {
        const file = written(earlier, segmentBeginning(seed));
        expect(readSegmentHeader(file)).toEqual({ state: "ours", form });
        expect(scanFrames(file, form)).toMatchObject({ rows: 0, isEnded: true });
      }),
    );
  });
});

test("headers are told apart", () => {
  const header = segmentBeginning(seed).subarray(0, segmentHeaderBytes);
  expect(readSegmentHeader(header)).toEqual({ state: "ours", form });
  for (const length of [0, 15, 16, 23]) {
    expect(readSegmentHeader(header.subarray(0, length)).state).toBe("torn");
  }
  expect(readSegmentHeader(Buffer.alloc(24)).state).toBe("torn");
  const damaged = Buffer.from(header);
  damaged[16]! ^= 1;
  expect(readSegmentHeader(damaged).state).toBe("torn");
});
