import { changedByte } from "./crc-inverse.ts";
import {
  endMarkBytes,
  type FrameForm,
  frameChecksum,
  frameHeaderBytes,
  writeFrameHeader,
} from "./segment-format.ts";

/** Damaged bytes between undamaged frames, or before the end mark. */
export interface DamagedFrames {
  /** Offset of the range's first byte in the segment. */
  readonly start: number;
  /** Bytes whose checksum is wrong. */
  readonly bytes: number;
  /** Number of rows in the frame's header; undefined when the header is damaged. */
  readonly rows: number | undefined;
}

/** The result of a scan. */
export interface SegmentScan {
  /** Number of rows in all undamaged frames. */
  readonly rows: number;
  /** End of the last complete frame; no complete frame follows. */
  readonly wholeBytes: number;
  /** Sum of the bytes of `damages`. */
  readonly damagedBytes: number;
  /** Damaged places, in the order of the file. */
  readonly damages: readonly DamagedFrames[];
  /** Offsets of the frames whose damaged headers were repaired in the given bytes. */
  readonly mended: readonly number[];
  /**
   * True when an end mark, zeros or the end of the file follow the last complete frame. False: the writing of another
   * frame was interrupted.
   */
  readonly isEnded: boolean;
}

/** Maximum number of bytes that are checksummed in the search for the next frame. */
const mostSummedBytes = 1024 * 1024 * 1024;

/**
 * Visits the frames of a segment up to the last complete one, and skips damaged frames before it. A frame's header is
 * repaired in `file` when only its length, or one byte of its other fields, was changed.
 *
 * Each position has one of these contents:
 *
 * | Bytes | Step |
 * |---|---|
 * | a frame with a correct checksum | the frame is visited, and the scan continues after it |
 * | end mark, zeros, or less than a header | the scan ends: this is the end of what was written |
 * | other bytes, with a frame or end mark later | damage is recorded or repaired; the scan continues there |
 * | other bytes, without a later frame | the scan ends: a write was interrupted |
 */
export function scanFrames(file: Buffer, form: FrameForm, visit?: FrameVisitor): SegmentScan {
  return new FrameScan(file, form, visit).run();
}

/** Called for each complete frame. @param start position of its header @param bytes length with the header */
export type FrameVisitor = (start: number, bytes: number, rows: number) => void;

/** One scan. All frames before `#start` were visited or recorded as damaged. */
class FrameScan {
  readonly #file: Buffer;
  readonly #seed: number;
  readonly #visit: FrameVisitor | undefined;
  readonly #endMark = Buffer.alloc(endMarkBytes);
  readonly #damages: DamagedFrames[] = [];
  readonly #mended: number[] = [];
  /** Offset of the present frame in the segment. */
  #start: number;
  #rows = 0;
  /** Number of checksummed bytes, for the limit: bytes that look like many frames must not take hours. */
  #summedBytes = 0;

  constructor(file: Buffer, { start, seed }: FrameForm, visit: FrameVisitor | undefined) {
    this.#file = file;
    this.#seed = seed;
    this.#visit = visit;
    this.#start = start;
    writeFrameHeader(this.#endMark, 0, seed);
  }

  run(): SegmentScan {
    const file = this.#file;
    for (;;) {
      const end = frameEnd(file, this.#start);
      if (this.#isWhole(this.#start, end)) {
        this.#take(end);
      } else if (this.#isAtEnd() || !this.#passOverDamage(end)) {
        break;
      }
    }
    const wholeBytes = Math.min(this.#start, file.length);
    const damagedBytes = this.#damages.reduce((sum, { bytes }) => sum + bytes, 0);
    const isEnded = this.#isEndMark(wholeBytes) || isZero(file.subarray(wholeBytes));
    return {
      ...{ rows: this.#rows, wholeBytes, damagedBytes, damages: this.#damages },
      ...{ mended: this.#mended, isEnded },
    };
  }

  /** True at the end of the written bytes: at an end mark, zeros, or less than a header. */
  #isAtEnd(): boolean {
    const file = this.#file;
    return (
      this.#start + frameHeaderBytes > file.length ||
      this.#isEndMark(this.#start) ||
      isZero(file.subarray(this.#start))
    );
  }

  /** Visits the frame at `#start`, and moves `#start` after it. */
  #take(end: number): void {
    const rows = this.#file.readUInt32LE(this.#start + 4);
    this.#rows += rows;
    this.#visit?.(this.#start, end - this.#start, rows);
    this.#start = end;
  }

  /**
   * Repairs or records the damage at `#start`, and moves `#start` after it.
   * @param end end of the frame according to its length, which may be damaged too
   * @returns false when no frame and no end mark follow: a write was interrupted
   */
  #passOverDamage(end: number | undefined): boolean {
    const file = this.#file;
    const start = this.#start;
    const isLengthRight =
      end !== undefined && (this.#isEndMark(end) || this.#isWhole(end, frameEnd(file, end)));
    const next = isLengthRight ? end : this.#nextPlace(start + frameHeaderBytes + 1);
    if (next === undefined) {
      return false;
    }
    if (mendHeader(file, start, next, this.#seed)) {
      this.#mended.push(start);
      this.#take(next);
      return true;
    }
    const rows = isLengthRight ? file.readUInt32LE(start + 4) : undefined;
    this.#damages.push({ start, bytes: next - start, rows });
    this.#start = next;
    return true;
  }

  /** @returns position of the next complete frame, or of the end mark; undefined when there is none */
  #nextPlace(from: number): number | undefined {
    const file = this.#file;
    const found = file.indexOf(this.#endMark, from);
    const last = found === -1 ? file.length : found;
    for (let at = from; at < last && this.#summedBytes < mostSummedBytes; at++) {
      const end = plausibleEnd(file, at);
      if (end === undefined || end > last) {
        continue;
      }
      // A checksum is slow, and most positions that look like a frame are not one, so the end is checked first.
      if ((end === last || plausibleEnd(file, end) !== undefined) && this.#isWhole(at, end)) {
        return at;
      }
    }
    return found === -1 ? undefined : found;
  }

  /** True when the bytes of a frame have the checksum of its header. */
  #isWhole(at: number, end: number | undefined): end is number {
    if (end === undefined) {
      return false;
    }
    this.#summedBytes += end - at;
    return this.#file.readUInt32LE(at + 8) === frameChecksum(this.#file, at, end, this.#seed);
  }

  #isEndMark(at: number): boolean {
    return this.#endMark.equals(this.#file.subarray(at, at + endMarkBytes));
  }
}

/**
 * Repairs a frame's header when only its length, or one byte of its other fields, was changed. @param end start of the
 * next frame
 */
function mendHeader(file: Buffer, start: number, end: number, seed: number): boolean {
  const header = file.subarray(start, start + frameHeaderBytes);
  const asRead = Buffer.from(header);
  header.writeUInt32LE(end - start - frameHeaderBytes, 0);
  const difference = (header.readUInt32LE(8) ^ frameChecksum(file, start, end, seed)) >>> 0;
  if (difference === 0) {
    return true;
  }
  // When the length was changed too, more than one field is damaged, and nothing is repaired.
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

/** True when all set bits belong to one of the four bytes. */
function isOneByte(bits: number): boolean {
  return [0, 8, 16, 24].some((shift) => (bits & ~(0xff << shift)) === 0);
}

/** @returns end of the frame at `start` according to its length; undefined when the file ends earlier */
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

/** True when all bytes are zero, or there are none. */
function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
