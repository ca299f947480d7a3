import { HttpError } from "http-engine/http-error";

/**
 * Maximum number of bytes by which one piece of a response may grow, beyond twice its length. All results of a piece
 * are in memory at the same time, so a site with a one-letter search text could otherwise be made to use gigabytes.
 */
export const maxGrownBytes = 8 * 1024 * 1024;

/** Changes a body that comes in pieces. */
export interface BodyReplacer {
  /** @returns bytes that are ready to send. @throws HttpError when the piece grows too much */
  push(chunk: Uint8Array): Buffer;
  /** @returns the remaining bytes. @throws HttpError when they grow too much */
  end(chunk: Uint8Array): Buffer;
}

/** Several replacers, one after the other: each replacer reads the output of the previous one. */
export class ReplacerChain implements BodyReplacer {
  readonly #replacers: readonly BodyReplacer[];

  constructor(replacers: readonly BodyReplacer[]) {
    this.#replacers = replacers;
  }

  push(chunk: Uint8Array): Buffer {
    return this.#replacers.reduce<Buffer>((bytes, replacer) => replacer.push(bytes), Buffer.from(chunk));
  }

  end(chunk: Uint8Array): Buffer {
    return this.#replacers.reduce<Buffer>((bytes, replacer) => replacer.end(bytes), Buffer.from(chunk));
  }
}

/** A search text and its replacement, as bytes. */
export interface Replacement {
  /** Bytes to find; at least one. */
  readonly search: Buffer;
  /** Bytes that replace a match. */
  readonly replace: Buffer;
}

/**
 * Replaces bytes in a stream in one pass. The match that begins first wins; of matches that begin at the same byte, the
 * search text that is listed first wins. Only bytes that may begin a match are held until more data arrives. With `ab`
 * → `x`, the pieces `za`, `bc` give `z` and `xc`: the `a` waits for the next piece.
 */
export class StreamReplacer implements BodyReplacer {
  readonly #replacements: readonly Replacement[];
  /** Held bytes that may begin a match. */
  #kept: Buffer = Buffer.alloc(0);

  constructor(replacements: readonly Replacement[]) {
    this.#replacements = replacements;
  }

  /** @returns bytes that are ready to send. @throws HttpError when the chunk grows too much */
  push(chunk: Uint8Array): Buffer {
    const bytes = Buffer.concat([this.#kept, chunk]);
    const limit = this.#beginOfPartial(bytes);
    const { replaced, position } = this.#replaceBefore(bytes, limit);
    const from = Math.max(position, limit);
    this.#kept = bytes.subarray(from);
    return Buffer.concat([...replaced, bytes.subarray(position, from)]);
  }

  /** @returns the remaining bytes. @throws HttpError when they grow too much */
  end(chunk: Uint8Array): Buffer {
    const bytes = Buffer.concat([this.#kept, chunk]);
    const { replaced, position } = this.#replaceBefore(bytes, bytes.length);
    return Buffer.concat([...replaced, bytes.subarray(position)]);
  }

  /** Offset of the longest suffix that begins a search text; the length of `bytes` when no suffix does. */
  #beginOfPartial(bytes: Buffer): number {
    let begin = bytes.length;
    for (const { search } of this.#replacements) {
      for (let length = Math.min(search.length - 1, bytes.length); length > bytes.length - begin; length--) {
        if (search.compare(bytes, bytes.length - length, bytes.length, 0, length) === 0) {
          begin = bytes.length - length;
        }
      }
    }
    return begin;
  }

  /**
   * Replaces the matches that begin before `limit`. @returns the replaced parts, and the offset of the first
   * unprocessed byte
   */
  #replaceBefore(bytes: Buffer, limit: number): { replaced: Buffer[]; position: number } {
    const replaced: Buffer[] = [];
    const allowed = maxGrownBytes + 2 * bytes.length;
    let length = 0;
    const nextOf = this.#replacements.map(({ search }) => bytes.indexOf(search));
    let position = 0;
    for (;;) {
      let first: number | undefined;
      for (const [index, { search }] of this.#replacements.entries()) {
        let at = nextOf[index] ?? -1;
        if (at >= 0 && at < position) {
          at = bytes.indexOf(search, position);
          nextOf[index] = at;
        }
        if (at >= 0 && at < limit && (first === undefined || at < (nextOf[first] ?? 0))) {
          first = index;
        }
      }
      const found = first === undefined ? undefined : this.#replacements[first];
      if (first === undefined || found === undefined) {
        return { replaced, position };
      }
      const at = nextOf[first] ?? 0;
      length += at - position + found.replace.length;
      if (length > allowed) {
        throw new HttpError(
          500,
          `replace: ${bytes.length} bytes of a response grow beyond the limit of ${allowed} bytes`,
        );
      }
      replaced.push(bytes.subarray(position, at), found.replace);
      position = at + found.search.length;
    }
  }
}
