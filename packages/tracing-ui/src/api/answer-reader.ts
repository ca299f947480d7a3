/**
 * Between two spans of a trace, as query services write them. It is never inside a text, where each quote has a
 * backslash before it.
 */
const between = '},{"traceID":"';

/** Letters that are parsed at a time: fewer cost more calls, more leave work for after the last byte. */
const pieceLetters = 1 << 20;

/**
 * Reads a JSON answer while it arrives. The spans of one long trace are parsed piece by piece, so that little is left
 * to do after the last byte; every other answer is parsed at its end.
 */
export class AnswerReader {
  readonly #pieceLetters: number;
  /** All that arrived, for answers that turn out to be no single trace. */
  readonly #texts: string[] = [];
  /** Up to the end of the first span; undefined before it is known. */
  #head: string | undefined;
  readonly #pieces: unknown[][] = [];
  /** The text after the last piece. */
  #rest = "";
  #isWhole = false;

  constructor(letters = pieceLetters) {
    this.#pieceLetters = letters;
  }

  /** Takes the next part of the answer. */
  push(text: string): void {
    this.#texts.push(text);
    if (this.#isWhole) {
      return;
    }
    this.#rest += text;
    if (this.#rest.length >= this.#pieceLetters) {
      this.#cut();
    }
  }

  /** All that arrived. */
  text(): string {
    return this.#texts.join("");
  }

  /** The value of the whole answer; undefined when it is not JSON. */
  value(): unknown {
    return this.#joined() ?? parse(this.text());
  }

  #cut(): void {
    if (this.#head === undefined) {
      const end = this.#rest.indexOf(between);
      if (end === -1) {
        this.#giveUp();
        return;
      }
      this.#head = this.#rest.slice(0, end + 1);
      this.#rest = this.#rest.slice(end + 2);
    }
    const end = this.#rest.lastIndexOf(between);
    if (end === -1) {
      return;
    }
    const piece = parse(`[${this.#rest.slice(0, end + 1)}]`);
    if (Array.isArray(piece)) {
      this.#pieces.push(piece);
      this.#rest = this.#rest.slice(end + 2);
    } else {
      this.#giveUp();
    }
  }

  #giveUp(): void {
    this.#isWhole = true;
    this.#rest = "";
    this.#pieces.length = 0;
  }

  /** The answer with its pieces in their place; undefined where the pieces were not the spans of one trace. */
  #joined(): unknown {
    if (this.#head === undefined || this.#isWhole) {
      return undefined;
    }
    const answer = parse(`${this.#head},${this.#rest}`) as { data?: unknown } | null | undefined;
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
