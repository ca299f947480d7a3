import { QuicError, transportErrors } from "../quic-error.ts";
import { ownCopy } from "../wire/own-copy.ts";

interface Piece {
  readonly offset: number;
  readonly bytes: Buffer;
}

/**
 * Maximum number of pieces after gaps that are stored, because each piece needs extra memory. Normal senders leave far
 * fewer gaps.
 */
const maxPiecesOfStream = 1_024;

/** Puts the bytes of frames in order. The caller limits how many bytes may follow a gap. */
export class ReceiveBuffer {
  /** Stored pieces after gaps: ascending, without overlaps, all after `#next`. */
  readonly #pieces: Piece[] = [];
  #next = 0;
  readonly #maxPieces: number;
  readonly #code: number;

  /**
   * @param maxPieces limit of pieces after gaps
   * @param code error code above this limit
   */
  constructor(maxPieces = maxPiecesOfStream, code: number = transportErrors.internalError) {
    this.#maxPieces = maxPieces;
    this.#code = code;
  }

  /** Offset of the next byte that `push` can return. */
  get nextOffset(): number {
    return this.#next;
  }

  /**
   * Adds the bytes of a frame.
   * @returns the bytes that follow those returned before; empty while a gap is before them
   */
  push(offset: number, bytes: Buffer): Buffer[] {
    const skip = this.#next - offset;
    if (skip >= bytes.length) {
      return [];
    }
    const fresh = skip > 0 ? bytes.subarray(skip) : bytes;
    if (skip < 0) {
      this.#insert(offset, fresh);
      return [];
    }
    this.#next += fresh.length;
    const ready = [fresh];
    while (this.#pieces.length > 0 && (this.#pieces[0] as Piece).offset <= this.#next) {
      const piece = this.#pieces.shift() as Piece;
      const overlap = this.#next - piece.offset;
      if (overlap < piece.bytes.length) {
        ready.push(piece.bytes.subarray(overlap));
        this.#next = piece.offset + piece.bytes.length;
      }
    }
    return ready;
  }

  clear(): void {
    this.#pieces.length = 0;
  }

  /** Stores the parts of `bytes` that have not arrived before. */
  #insert(offset: number, bytes: Buffer): void {
    const pieces = this.#pieces;
    let index = pieces.length;
    while (index > 0 && endOf(pieces[index - 1] as Piece) > offset) {
      index--;
    }
    let at = offset;
    const end = offset + bytes.length;
    while (at < end) {
      const next = pieces[index];
      const to = Math.min(end, next?.offset ?? end);
      if (to > at) {
        if (pieces.length >= this.#maxPieces) {
          throw new QuicError(this.#code, "too many gaps in the bytes of a stream");
        }
        pieces.splice(index, 0, { offset: at, bytes: ownCopy(bytes.subarray(at - offset, to - offset)) });
        index++;
      }
      at = Math.max(to, pieces[index] === undefined ? to : Math.min(endOf(pieces[index] as Piece), end));
      index++;
    }
  }
}

const endOf = ({ offset, bytes }: Piece) => offset + bytes.length;
