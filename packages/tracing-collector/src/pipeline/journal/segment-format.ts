import { crc32 } from "node:zlib";
import { spanColumns } from "wire/rows/span-columns";

/**
 * A segment file: one header, then frames, then an end mark. All numbers are unsigned 32-bit little-endian.
 *
 * - header, 24 bytes: `SPANSEG1`, checksum of the row layout and of this format, checksum of the 12 bytes
 *   before, seed, checksum of the 20 bytes before
 * - frame: payload bytes, rows, checksum (CRC-32 of these two numbers and the payload; the seed is its initial value),
 *   payload
 * - end mark: a frame without payload after the last frame; the next frame overwrites it
 *
 * A file may have contained another segment before. Its bytes remain after the end mark, and after a write that a crash
 * interrupted. An old frame is never mistaken for a new one: a file never has the same seed twice, and checksums with
 * different seeds differ.
 *
 * A payload is one or more RowBinary rows in the order of `spanColumns`; the first row has its prefix: see `SpanRows`.
 * The header identifies the row layout, so that a collector recognizes rows of another version. Versions before this
 * format read it as an unknown layout.
 */
const magic = "SPANSEG1";
/** Checksum for rows in which attributes of spans and resources were not yet one string. */
const firstLayoutChecksum = 0x6386_3ef5;
const layout = spanColumns.map(({ name, type }) => `${name} ${type}`).join("\n");
/** Checksum for rows of the present layout in files without seed and end mark, whose header has 16 bytes. */
const unseededChecksum = crc32(layout);
/** Checksum for rows of the present layout, each with its full prefix. */
const plainChecksum = crc32(`${layout}\nseeded frames, end mark`);
const layoutChecksum = crc32(`${layout}\nseeded frames, end mark, shared prefixes`);

const unseededHeaderBytes = 16;
export const segmentHeaderBytes = 24;
export const frameHeaderBytes = 12;
export const endMarkBytes = 12;

/** How the frames of a file are read. */
export interface FrameForm {
  /** Offset of the first frame, which follows the header. */
  readonly start: number;
  /** Initial value of the checksums, the seed. */
  readonly seed: number;
}

/** The meaning of the first bytes of a file. */
export type SegmentHeader =
  /** State `first-layout`: the rows must be converted with `fromFirstLayout`. */
  | { readonly state: "ours" | "first-layout"; readonly form: FrameForm }
  | { readonly state: "other-layout" }
  /** An incomplete header, or other bytes. */
  | { readonly state: "torn" };

const unseededForm: FrameForm = { start: unseededHeaderBytes, seed: 0 };

export function seededForm(seed: number): FrameForm {
  return { start: segmentHeaderBytes, seed };
}

/**
 * The beginning of a segment without frames: header and end mark.
 * @param seed 32 bits; must differ from the seeds of all earlier segments in the file
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

/** The headers that a file of this form and seed may have: of this version, and of the one before. */
export function knownHeaders(seed: number): Buffer[] {
  return [layoutChecksum, plainChecksum].map((checksum) => headerOf(seed, checksum));
}

/** @param file start of the file; `segmentHeaderBytes` long, or shorter when the file is */
export function readSegmentHeader(file: Buffer): SegmentHeader {
  if (file.length < unseededHeaderBytes || file.readUInt32LE(12) !== crc32(file.subarray(0, 12))) {
    return { state: "torn" };
  }
  if (file.toString("latin1", 0, 8) !== magic) {
    return { state: "torn" };
  }
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

/** Fills the first `frameHeaderBytes` of `frame`; the other bytes are the payload. */
export function writeFrameHeader(frame: Buffer, rows: number, seed: number): void {
  frame.writeUInt32LE(frame.length - frameHeaderBytes, 0);
  frame.writeUInt32LE(rows, 4);
  frame.writeUInt32LE(frameChecksum(frame, 0, frame.length, seed), 8);
}

/**
 * True when a header and a payload form a frame.
 * @param seed seed of the checksum; undefined: compare only the length
 */
export function isFrame(header: Buffer, payload: Buffer, seed: number | undefined): boolean {
  if (header.readUInt32LE(0) !== payload.length) {
    return false;
  }
  return seed === undefined || header.readUInt32LE(8) === crc32(payload, crc32(header.subarray(0, 8), seed));
}

export function frameChecksum(file: Buffer, start: number, end: number, seed: number): number {
  return crc32(file.subarray(start + frameHeaderBytes, end), crc32(file.subarray(start, start + 8), seed));
}
