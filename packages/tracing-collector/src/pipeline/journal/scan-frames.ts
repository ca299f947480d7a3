import { changedByte } from "./crc-inverse.ts";
import {
  endMarkBytes,
  type FrameForm,
  frameChecksum,
  frameHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

/** Damaged frames in the middle of others, or before the end mark. */
export interface DamagedFrames {
  /** Index of the first byte. */
  readonly start: number;
  /** Bytes whose checksum is wrong. */
  readonly bytes: number;
  /** Number of rows by the frame's header; undefined when the header is damaged. */
  readonly rows: number | undefined;
}

/** The undamaged frames of a segment. */
export interface SegmentScan {
  /** Number of rows in all undamaged frames. */
  readonly rows: number;
  /** Index just past the last complete frame; the bytes behind it are incomplete. */
  readonly wholeBytes: number;
  /** Sum of the bytes of `damages`. */
  readonly damagedBytes: number;
  /** Damaged places, in the order of the file. */
  readonly damages: readonly DamagedFrames[];
  /** Indexes of frames whose damaged headers were repaired in the given bytes. */
  readonly mended: readonly number[];
  /** True when the last complete frame is known to be the last: an end mark, zeros or nothing follow it. */
  readonly isEnded: boolean;
}

/** The search for the next frame ends when this many bytes were checksummed without success. */
const mostSummedBytes = 1024 * 1024 * 1024;

/**
 * Walks the frames of a segment up to the last complete one, and skips damaged ones before it. When only one
 * byte of a frame's header was changed, the header is repaired in `file`.
 *
 * At each place one of these is found:
 *
 * | Bytes | Step |
 * |---|---|
 * | a frame with a right checksum | it is visited, and the scan goes on behind it |
 * | end mark, zeros, or less than a header | the scan ends: this is the end of what was written |
 * | others, and a frame or end mark somewhere behind | damage; it is noted or repaired, and the scan goes on there |
 * | others, and nothing behind | the scan ends: a write was cut short |
 *
 * @param visit called with each complete frame, including its header
 */
export function scanFrames(
  file: Buffer,
  { start: firstStart, seed }: FrameForm,
  visit?: (start: number, bytes: number, rows: number) => void,
): SegmentScan {
  const endMark = Buffer.alloc(endMarkBytes);
  writeFrameHeader(endMark, 0, seed);
  let rows = 0;
  let start = firstStart;
  let summedBytes = 0;
  const damages: DamagedFrames[] = [];
  const mended: number[] = [];

  // All checksums of one scan are counted, because bytes that look like many frames must not take hours.
  const sumOf = (at: number, end: number) => {
    summedBytes += end - at;
    return frameChecksum(file, at, end, seed);
  };
  const isWhole = (at: number, end: number | undefined): end is number =>
    end !== undefined && file.readUInt32LE(at + 8) === sumOf(at, end);
  const isEndMark = (at: number) => endMark.equals(file.subarray(at, at + endMarkBytes));
  /** @returns index of the next complete frame, or of the end mark; undefined when there is none */
  const nextPlace = (from: number): number | undefined => {
    const found = file.indexOf(endMark, from);
    const last = found === -1 ? file.length : found;
    for (let at = from; at < last && summedBytes < mostSummedBytes; at++) {
      const end = plausibleEnd(file, at);
      if (end === undefined || end > last) {
        continue;
      }
      // A checksum is slow, and most places that look like a frame have no frame behind them, so the end is
      // checked first.
      if ((end === last || plausibleEnd(file, end) !== undefined) && isWhole(at, end)) {
        return at;
      }
    }
    return found === -1 ? undefined : found;
  };
  /** Visits the frame at `start`, and moves `start` behind it. */
  const take = (end: number) => {
    const frameRows = file.readUInt32LE(start + 4);
    rows += frameRows;
    visit?.(start, end - start, frameRows);
    start = end;
  };

  for (;;) {
    const end = frameEnd(file, start);
    if (isWhole(start, end)) {
      take(end);
      continue;
    }
    if (start + frameHeaderBytes > file.length || isEndMark(start) || isZero(file.subarray(start))) {
      break;
    }
    const isLengthRight = end !== undefined && (isEndMark(end) || isWhole(end, frameEnd(file, end)));
    const next = isLengthRight ? end : nextPlace(start + frameHeaderBytes + 1);
    if (next === undefined) {
      break;
    }
    if (mendHeader(file, start, next, seed)) {
      mended.push(start);
      take(next);
      continue;
    }
    damages.push({
      start,
      bytes: next - start,
      rows: isLengthRight ? file.readUInt32LE(start + 4) : undefined,
    });
    start = next;
  }
  const wholeBytes = Math.min(start, file.length);
  const damagedBytes = damages.reduce((sum, { bytes }) => sum + bytes, 0);
  const isEnded = isEndMark(wholeBytes) || isZero(file.subarray(wholeBytes));
  return { rows, wholeBytes, damagedBytes, damages, mended, isEnded };
}

/** Repairs a frame's header when exactly one byte of it was changed. @param end begin of the next frame */
function mendHeader(file: Buffer, start: number, end: number, seed: number): boolean {
  const header = file.subarray(start, start + frameHeaderBytes);
  const asRead = Buffer.from(header);
  header.writeUInt32LE(end - start - frameHeaderBytes, 0);
  const difference = (header.readUInt32LE(8) ^ frameChecksum(file, start, end, seed)) >>> 0;
  if (difference === 0) {
    return true;
  }
  // When the length was changed, the rest of the header is right.
  const isLengthRight = header.readUInt32LE(0) === asRead.readUInt32LE(0);
  const changed = isLengthRight ? changedByte(difference, end - start - frameHeaderBytes) : undefined;
  const rows = ((changed ?? 0) ^ header.readUInt32LE(4)) >>> 0;
  if (changed !== undefined && rows > 0 && rows <= end - start) {
    header.writeUInt32LE(rows, 4);
    return true;
  }
  if (isLengthRight && isOneByte(difference)) {
    header.writeUInt32LE((header.readUInt32LE(8) ^ difference) >>> 0, 8);
    return true;
  }
  asRead.copy(header);
  return false;
}

/** Whether all set bits are in one of the four bytes. */
function isOneByte(bits: number): boolean {
  return [0, 8, 16, 24].some((shift) => (bits & ~(0xff << shift)) === 0);
}

/** @returns index just past the frame at `start`, by its own length; undefined when the file ends earlier */
function frameEnd(file: Buffer, start: number): number | undefined {
  if (start + frameHeaderBytes >= file.length) {
    return undefined;
  }
  const payloadBytes = file.readUInt32LE(start);
  const end = start + frameHeaderBytes + payloadBytes;
  return payloadBytes === 0 || end > file.length ? undefined : end;
}

/** As `frameEnd`, but also requires a plausible number of rows. */
function plausibleEnd(file: Buffer, start: number): number | undefined {
  const end = frameEnd(file, start);
  if (end === undefined) {
    return undefined;
  }
  const rows = file.readUInt32LE(start + 4);
  return rows > 0 && rows <= end - start ? end : undefined;
}

/** True for zeros, and for no bytes. */
function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
