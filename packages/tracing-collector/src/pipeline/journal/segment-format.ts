import { crc32 } from "node:zlib";
import { spanColumns } from "wire/rows";
import { seedOf } from "./crc-inverse.ts";

/**
 * A segment file: one header, then frames, then an end mark. All numbers are unsigned 32-bit little-endian.
 *
 * - header, 24 bytes: `SPANSEG1`, checksum of the row layout and of this format, checksum of the 12 bytes before, seed,
 *   checksum of the 20 bytes before
 * - frame: payload bytes, rows, checksum (CRC-32 of those two and of the payload, begun with the seed), payload
 * - end mark: a frame without payload, behind each frame until the next takes its place
 *
 * A file may have held another segment before: what stands behind the end mark is of that one, and so is what a write that
 * a crash cut short did not get to. No frame of it is taken for one of ours, as a file never has the same seed twice:
 * checksums of the same bytes that are begun with different seeds are different.
 *
 * A payload is one or more RowBinary rows in the order of `spanColumns`, of which the first has its prefix: see `SpanRows`. The header tells rows of another layout, left
 * by another version of the collector, from ours. Versions before this format take it for another layout.
 */
const magic = "SPANSEG1";
/** Of rows as they were before attributes of spans and resources became one string. */
const firstLayoutChecksum = 0x6386_3ef5;
const layout = spanColumns.map(({ name, type }) => `${name} ${type}`).join("\n");
/** Of today's rows in files without seed and end mark, whose header is 16 bytes. */
const unseededChecksum = crc32(layout);
/** Of today's rows, each with its own prefix. */
const plainChecksum = crc32(`${layout}\nseeded frames, end mark`);
const layoutChecksum = crc32(`${layout}\nseeded frames, end mark, shared prefixes`);

const unseededHeaderBytes = 16;
export const segmentHeaderBytes = 24;
export const frameHeaderBytes = 12;
export const endMarkBytes = 12;

/** Of a header that is still one. */
const mostChangedBytes = 4;

/** How frames of a file are to be read. */
export interface FrameForm {
  /** Index of the first one. */
  readonly start: number;
  /** What checksums begin with. */
  readonly seed: number;
}

/** What the first bytes of a file are. */
export type SegmentHeader =
  /** `first-layout` is that of rows for `fromFirstLayout`. */
  | { readonly state: "ours" | "first-layout"; readonly form: FrameForm }
  | { readonly state: "other-layout" }
  /** A header that was not written to its end, or is no header at all. */
  | { readonly state: "torn" };

const unseededForm: FrameForm = { start: unseededHeaderBytes, seed: 0 };

export function seededForm(seed: number): FrameForm {
  return { start: segmentHeaderBytes, seed };
}

/**
 * The beginning of a segment without frames: header and end mark.
 * @param seed 32 bits; another one than in all earlier segments of the same file
 */
export function segmentBeginning(seed: number): Buffer {
  const bytes = Buffer.alloc(segmentHeaderBytes + endMarkBytes);
  headerOf(seed, layoutChecksum).copy(bytes);
  writeFrameHeader(bytes.subarray(segmentHeaderBytes), 0, seed);
  return bytes;
}

function headerOf(seed: number, checksum: number): Buffer {
  const bytes = Buffer.alloc(segmentHeaderBytes);
  bytes.write(magic, 0, "latin1");
  bytes.writeUInt32LE(checksum, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 12)), 12);
  bytes.writeUInt32LE(seed, 16);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 20)), 20);
  return bytes;
}

/**
 * The header of a file in whose header something was changed: with the seed that stands there, or, where that was changed, with the one
 * that the checksum of the first frame tells.
 * @returns undefined where no header is like it, but for four bytes
 */
export function mendedHeader(file: Buffer): Buffer | undefined {
  if (file.length < segmentHeaderBytes + endMarkBytes) return undefined;
  const seeds = [file.readUInt32LE(16), seedOfFirstFrame(file)];
  const headers = seeds.flatMap((seed) =>
    seed === undefined ? [] : [layoutChecksum, plainChecksum].map((checksum) => headerOf(seed, checksum)),
  );
  const [best] = headers
    .map((header) => ({ header, others: header.filter((byte, at) => byte !== file[at]).length }))
    .sort((one, other) => one.others - other.others);
  return best !== undefined && best.others <= mostChangedBytes ? best.header : undefined;
}

function seedOfFirstFrame(file: Buffer): number | undefined {
  const start = segmentHeaderBytes;
  const end = start + frameHeaderBytes + file.readUInt32LE(start);
  if (end === start + frameHeaderBytes || end > file.length) return undefined;
  const covered = Buffer.concat([
    file.subarray(start, start + 8),
    file.subarray(start + frameHeaderBytes, end),
  ]);
  return seedOf(file.readUInt32LE(start + 8), covered);
}

/** @param file its beginning, `segmentHeaderBytes` where it is that long */
export function readSegmentHeader(file: Buffer): SegmentHeader {
  if (file.length < unseededHeaderBytes || file.readUInt32LE(12) !== crc32(file.subarray(0, 12))) {
    return { state: "torn" };
  }
  if (file.toString("latin1", 0, 8) !== magic) return { state: "torn" };
  switch (file.readUInt32LE(8)) {
    case layoutChecksum:
    case plainChecksum:
      if (file.length < segmentHeaderBytes || file.readUInt32LE(20) !== crc32(file.subarray(0, 20))) {
        return { state: "torn" };
      }
      return { state: "ours", form: seededForm(file.readUInt32LE(16)) };
    case unseededChecksum:
      return { state: "ours", form: unseededForm };
    case firstLayoutChecksum:
      return { state: "first-layout", form: unseededForm };
    default:
      return { state: "other-layout" };
  }
}

/** Fills the first `frameHeaderBytes` of `frame`, whose rest is the payload. */
export function writeFrameHeader(frame: Buffer, rows: number, seed: number): void {
  frame.writeUInt32LE(frame.length - frameHeaderBytes, 0);
  frame.writeUInt32LE(rows, 4);
  frame.writeUInt32LE(frameChecksum(frame, 0, frame.length, seed), 8);
}

/**
 * Whether a header and a payload are a frame.
 * @param seed of the checksum, which is compared; undefined to compare the length only
 */
export function isFrame(header: Buffer, payload: Buffer, seed: number | undefined): boolean {
  if (header.readUInt32LE(0) !== payload.length) return false;
  return seed === undefined || header.readUInt32LE(8) === crc32(payload, crc32(header.subarray(0, 8), seed));
}

export function frameChecksum(file: Buffer, start: number, end: number, seed: number): number {
  return crc32(file.subarray(start + frameHeaderBytes, end), crc32(file.subarray(start, start + 8), seed));
}
