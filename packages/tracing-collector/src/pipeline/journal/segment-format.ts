import { crc32 } from "node:zlib";
import { spanColumns } from "wire/rows";

/**
 * A segment file: one header, then frames. All numbers are unsigned 32-bit little-endian.
 *
 * - header, 16 bytes: `SPANSEG1`, checksum of the row layout, checksum of the 12 bytes before
 * - frame: payload bytes, rows, checksum (CRC-32 of those two and of the payload), payload
 *
 * A payload is one or more RowBinary rows in the order of `spanColumns`. The header tells rows of another layout, left
 * by another version of the collector, from ours.
 */
const magic = "SPANSEG1";
/** Of rows as they were before attributes of spans and resources became one string. */
const firstLayoutChecksum = 0x6386_3ef5;
const layoutChecksum = crc32(spanColumns.map(({ name, type }) => `${name} ${type}`).join("\n"));

export const segmentHeaderBytes = 16;
export const frameHeaderBytes = 12;

/** The header of a new segment. */
export function segmentHeader(): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write(magic, 0, "latin1");
  header.writeUInt32LE(layoutChecksum, 8);
  header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
  return header;
}

/**
 * What the first bytes of a file are: `first-layout` is that of rows for `fromFirstLayout`; `torn` is a header that was not
 * written to its end, or is no header at all.
 */
export function headerStateOf(file: Buffer): "ours" | "first-layout" | "other-layout" | "torn" {
  if (file.length < segmentHeaderBytes || file.readUInt32LE(12) !== crc32(file.subarray(0, 12)))
    return "torn";
  if (file.toString("latin1", 0, 8) !== magic) return "torn";
  const checksum = file.readUInt32LE(8);
  if (checksum === layoutChecksum) return "ours";
  return checksum === firstLayoutChecksum ? "first-layout" : "other-layout";
}

/** Fills the first `frameHeaderBytes` of `frame`, whose rest is the payload. */
export function writeFrameHeader(frame: Buffer, rows: number): void {
  frame.writeUInt32LE(frame.length - frameHeaderBytes, 0);
  frame.writeUInt32LE(rows, 4);
  frame.writeUInt32LE(frameChecksum(frame, 0, frame.length), 8);
}

/** Whether a header and a payload are a frame. @param checks whether to compare the checksum, or the length only */
export function isFrame(header: Buffer, payload: Buffer, checks: boolean): boolean {
  if (header.readUInt32LE(0) !== payload.length) return false;
  return !checks || header.readUInt32LE(8) === crc32(payload, crc32(header.subarray(0, 8)));
}

function frameChecksum(file: Buffer, start: number, end: number): number {
  return crc32(file.subarray(start + frameHeaderBytes, end), crc32(file.subarray(start, start + 8)));
}

/** The whole frames of a segment. */
export interface SegmentScan {
  /** Rows in all whole frames. */
  readonly rows: number;
  /** Index just past the last whole frame: what follows is torn. */
  readonly wholeBytes: number;
  /** Bytes of frames in between that are not what was written: their checksum is wrong, but a whole frame follows. */
  readonly damagedBytes: number;
}

/** @returns index just past the frame at `start`, by its own length; undefined when the file ends before */
function frameEnd(file: Buffer, start: number): number | undefined {
  if (start + frameHeaderBytes >= file.length) return undefined;
  const payloadBytes = file.readUInt32LE(start);
  const end = start + frameHeaderBytes + payloadBytes;
  return payloadBytes === 0 || end > file.length ? undefined : end;
}

function isWhole(file: Buffer, start: number, end: number | undefined): end is number {
  return end !== undefined && file.readUInt32LE(start + 8) === frameChecksum(file, start, end);
}

/**
 * Walks the frames of a segment up to the last that is whole; damaged ones before it are passed over.
 * @param visit called for each whole frame; its bytes are with its header
 */
export function scanFrames(
  file: Buffer,
  visit?: (start: number, bytes: number, rows: number) => void,
): SegmentScan {
  let rows = 0;
  let damagedBytes = 0;
  let start = segmentHeaderBytes;
  for (;;) {
    const end = frameEnd(file, start);
    if (isWhole(file, start, end)) {
      const frameRows = file.readUInt32LE(start + 4);
      rows += frameRows;
      visit?.(start, end - start, frameRows);
      start = end;
    } else if (end !== undefined && isWhole(file, end, frameEnd(file, end))) {
      damagedBytes += end - start;
      start = end;
    } else {
      return { rows, wholeBytes: Math.min(start, file.length), damagedBytes };
    }
  }
}
