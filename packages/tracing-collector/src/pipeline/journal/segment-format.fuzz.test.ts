import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing/damaged-message";
import { rowsOf, spanOf } from "../../../test/span-rows-fixture.ts";
import { scanFrames } from "./scan-frames.ts";
import {
  frameHeaderBytes,
  readSegmentHeader,
  segmentBeginning,
  segmentHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 2_000);
const timeoutMs = 20_000 + rounds * 2;

const seed = 0x0dd_5eed;
const frames = ["a", "b", "c", "d", "e"].map((name, index) => {
  const { bytes, count } = rowsOf(Array.from({ length: index + 1 }, () => spanOf({ name })));
  const frame = Buffer.concat([Buffer.alloc(frameHeaderBytes), bytes]);
  writeFrameHeader(frame, count, seed);
  return frame;
});
const written = new Set(frames.map((frame) => frame.toString("latin1")));
const beginning = segmentBeginning(seed);
const segments = [[0, 1, 2, 3, 4], [4, 1], [2], [3, 0, 3]].map((indexes) =>
  Buffer.concat([
    beginning.subarray(0, segmentHeaderBytes),
    ...indexes.map((index) => frames[index] ?? Buffer.alloc(0)),
  ]),
);

test(
  "of a damaged segment only frames that were written are read, and the end of the last one is found",
  () => {
    const random = randomOf(2026);
    const seen = { whole: 0, torn: 0, damaged: 0, header: 0 };
    for (let round = 0; round < rounds; round++) {
      const file = damagedMessage(segments, random);
      try {
        const header = readSegmentHeader(file);
        if (header.state !== "ours") {
          seen.header++;
          continue;
        }
        let end = segmentHeaderBytes;
        let bytesRead = 0;
        const { length } = file;
        const scan = scanFrames(file, header.form, (start, bytes) => {
          expect(start).toBeGreaterThanOrEqual(end);
          end = start + bytes;
          bytesRead += bytes;
          expect(written.has(file.toString("latin1", start, end))).toBe(true);
        });
        expect(scan.wholeBytes).toBe(end);
        expect(scan.damagedBytes).toBe(end - segmentHeaderBytes - bytesRead);
        if (scan.damagedBytes > 0) {
          seen.damaged++;
        }
        if (end < length) {
          seen.torn++;
        } else {
          seen.whole++;
        }
      } catch (error) {
        throw new Error(`round ${round}: ${file.toString("hex")}`, { cause: error });
      }
    }
    for (const count of Object.values(seen)) {
      expect(count).toBeGreaterThan(rounds / 100);
    }
  },
  timeoutMs,
);
