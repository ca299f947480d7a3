import type { Readable } from "node:stream";

/** The body of an insert: bytes, or several pieces in order. */
export type InsertBody = Uint8Array | readonly Uint8Array[];

/** Bytes below which a piece counts as small. Adjacent small pieces are sent as one piece. */
const smallBytes = 16 * 1024;

/** Bytes of the body, all pieces together. */
export function bodyBytes(body: InsertBody): number {
  return body instanceof Uint8Array ? body.length : body.reduce((sum, piece) => sum + piece.length, 0);
}

/**
 * The body in a form that undici sends in pieces. The next piece is read after the system has accepted the previous
 * piece.
 */
export function sentBody(body: InsertBody): Uint8Array | Readable {
  // undici accepts an iterable, but its type does not say so.
  return body instanceof Uint8Array ? body : (sentPieces(body) as unknown as Readable);
}

async function* sentPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  let small: Uint8Array[] = [];
  let waiting = 0;
  for (const piece of pieces) {
    if (piece.length === 0) {
      continue;
    }
    if (piece.length < smallBytes) {
      small.push(piece);
      waiting += piece.length;
      if (waiting < smallBytes) {
        continue;
      }
    }
    if (small.length > 0) {
      yield Buffer.concat(small);
    }
    small = [];
    waiting = 0;
    if (piece.length >= smallBytes) {
      yield piece;
    }
  }
  if (small.length > 0) {
    yield Buffer.concat(small);
  }
}
