/**
 * The text between two spans of a trace, as query services write it. It cannot occur inside a JSON string, where each
 * quote is escaped.
 */
const between = new TextEncoder().encode('},{"traceID":"');
/** The closing brace of a span: the search looks for this byte, then compares the rest. */
const [spanEnd = 0] = between;
const listStart = "[".charCodeAt(0);
const listEnd = "]".charCodeAt(0);

/**
 * Number of bytes that are parsed at a time. A smaller number costs more calls; a larger number leaves more work
 * after the last byte.
 */
const pieceBytes = 1 << 20;

/**
 * Parses a JSON answer while it arrives. The spans of one long trace are parsed piece by piece, so that little work is
 * left after the last byte; every other answer is parsed at its end. Bytes become text only when they are parsed,
 * because each garbage collection would copy small texts.
 */
export class AnswerReader {
  /** Number of buffered bytes from which a piece is parsed. */
  readonly #pieceBytes: number;
  /** All received bytes, for answers that are not a single trace. */
  readonly #chunks: Uint8Array[] = [];
  /** The text up to the end of the first span; undefined before. */
  #head: string | undefined;
  /** Parsed spans, one list for each piece. */
  readonly #pieces: unknown[][] = [];
  /** Bytes after the last piece. Byte 0 is reserved for the `[` of the list that a piece becomes. */
  #rest = new Uint8Array(1);
  /** End of the used part of `#rest`. */
  #restEnd = 1;
  /** Length of the rest at which it is searched for a complete span. */
  #cutAt: number;
  /** True once the answer is known not to be a single trace: then only `#chunks` is used. */
  #isWhole = false;

  /** @param bytes size of a piece; tests use small pieces */
  constructor(bytes = pieceBytes) {
    this.#pieceBytes = bytes;
    this.#cutAt = bytes;
  }

  /** Adds the next part of the answer. The bytes must not change afterwards. */
  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    if (this.#isWhole) {
      return;
    }
    this.#append(chunk);
    if (this.#restEnd > this.#cutAt) {
      this.#cut();
    }
  }

  /** Returns everything received as text. */
  text(): string {
    const decoder = new TextDecoder();
    const parts = this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true }));
    return parts.join("") + decoder.decode();
  }

  /** The value of the whole answer; undefined for invalid JSON. */
  value(): unknown {
    return this.#joined() ?? parse(this.text());
  }

  /**
   * Appends bytes to the rest. The buffer doubles when it is full, so that each byte is copied a constant number of
   * times.
   */
  #append(chunk: Uint8Array): void {
    const end = this.#restEnd + chunk.length;
    if (end > this.#rest.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.#rest.length));
      grown.set(this.#rest.subarray(0, this.#restEnd));
      this.#rest = grown;
    }
    this.#rest.set(chunk, this.#restEnd);
    this.#restEnd = end;
  }

  /**
   * Parses the spans of the rest up to the last complete one.
   *
   * Invariant: head + pieces + rest is always the whole answer so far.
   * - No head yet: the head ends with the first span. If the first piece has no complete span, this is not a long
   * trace.
   * - No complete span: waits for another piece.
   * - A piece that is not a list: the text is no list of spans, so everything is parsed at the end.
   */
  #cut(): void {
    if (this.#head === undefined) {
      const end = this.#find(1, (bytes, from) => bytes.indexOf(spanEnd, from + 1));
      if (end === -1) {
        this.#giveUp();
        return;
      }
      this.#head = decode(this.#rest.subarray(1, end + 1));
      this.#drop(end + 2);
    }
    const end = this.#find(this.#restEnd, (bytes, from) =>
      from === 0 ? -1 : bytes.lastIndexOf(spanEnd, from - 1),
    );
    if (end === -1) {
      this.#cutAt = this.#restEnd + this.#pieceBytes;
      return;
    }
    this.#rest[0] = listStart;
    this.#rest[end + 1] = listEnd;
    const piece = parse(decode(this.#rest.subarray(0, end + 2)));
    if (Array.isArray(piece)) {
      this.#pieces.push(piece);
      this.#drop(end + 2);
      this.#cutAt = this.#pieceBytes;
    } else {
      this.#giveUp();
    }
  }

  /**
   * Finds a boundary between two spans in the rest; −1 for none.
   * @param next finds the next end of an object from an offset; −1 for none
   */
  #find(start: number, next: (bytes: Uint8Array, from: number) => number): number {
    const bytes = this.#rest.subarray(0, this.#restEnd);
    for (let at = next(bytes, start); at > 0; at = next(bytes, at)) {
      if (between.every((byte, index) => bytes[at + index] === byte)) {
        return at;
      }
    }
    return -1;
  }

  /** Removes the rest up to an offset. */
  #drop(upTo: number): void {
    this.#rest.copyWithin(1, upTo, this.#restEnd);
    this.#restEnd -= upTo - 1;
  }

  /** From now on the answer is only collected, and parsed as a whole at the end. */
  #giveUp(): void {
    this.#isWhole = true;
    this.#rest = new Uint8Array(0);
    this.#pieces.length = 0;
  }

  /**
   * The answer with its parsed pieces; undefined when no piece was cut, or when the pieces were not the spans of one
   * trace.
   */
  #joined(): unknown {
    if (this.#head === undefined || this.#isWhole) {
      return undefined;
    }
    const rest = decode(this.#rest.subarray(1, this.#restEnd));
    const answer = parse(`${this.#head},${rest}`) as { data?: unknown } | null | undefined;
    const data: unknown = answer?.data;
    const trace =
      Array.isArray(data) && data.length === 1 ? (data[0] as { spans?: unknown } | null) : undefined;
    if (!Array.isArray(trace?.spans)) {
      return undefined;
    }
    const [first, ...last] = trace.spans as unknown[];
    trace.spans = [[first], ...this.#pieces, last].flat();
    return answer;
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Parses JSON; undefined for invalid JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
