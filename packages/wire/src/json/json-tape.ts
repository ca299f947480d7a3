import { isUtf8 } from "node:buffer";
import { WireError } from "../errors.ts";
import { LastJsonPath } from "./json-path.ts";

/** Maximum number of objects, arrays and their values; a body of 20 MiB has fewer. */
const maxJsonParts = 2_000_000;
/** Deepest nesting of objects and arrays, as in Go's encoding/json. */
const maxDepth = 10_000;
const initialTokens = 2048;
/**
 * Number of tokens that the tape keeps room for. If a large message made a tape larger than this, its memory is freed
 * at the next `read`.
 */
const keptTokens = 256 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Characters that may follow `\`, except `u`. */
const escapes = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) {
  escapes[byte] = 1;
}

/**
 * The tokens of a JSON text, found and checked in one pass over its bytes. Nothing is copied or converted while the
 * tokens are found. Readers access tokens by number. The tokens of an object alternate between names and values; the
 * tokens of an array are values. `after` skips a value of any size in a single step.
 *
 * `{"a":[1,2]}` has five tokens: 0 the object, 1 `"a"`, 2 the array, 3 `1`, 4 `2`; `after(2)` is 5.
 *
 * A tape reads one text at a time and reuses its memory. Source: RFC 8259.
 */
export class JsonTape {
  /** The text that was read last. */
  bytes: Buffer = Buffer.alloc(0);
  /** The same memory as `bytes`. */
  view: DataView = new DataView(new ArrayBuffer(0));
  /**
   * Each token has two numbers. The first number is the position of its first byte. The second number is its end, with
   * all bits inverted for a string with escapes. For an object or array, it is the next token after the content.
   */
  #tokens = new Int32Array(initialTokens * 2);
  #count = 0;
  /** Cache for `jsonPathOf`. */
  readonly lastPath = new LastJsonPath();
  readonly #open = new Int32Array(maxDepth);

  /**
   * Reads a text; token 0 is its value. Bytes that are not UTF-8 become U+FFFD, for which the text is copied.
   * @throws WireError WIRE_MALFORMED for a text that is not JSON; WIRE_TOO_DEEP above 10,000 levels; WIRE_TOO_LARGE
   *   above 2,000,000 brackets, braces and commas
   */
  read(sent: Uint8Array): void {
    const text = isUtf8(sent) ? sent : mendedUtf8(sent);
    this.bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    this.view = new DataView(text.buffer, text.byteOffset, text.byteLength);
    if (this.#tokens.length > keptTokens * 2) {
      this.#tokens = new Int32Array(initialTokens * 2);
    }
    this.#count = 0;
    this.lastPath.clear();
    this.#scan();
  }

  /** Number of tokens of the text. */
  get count(): number {
    return this.#count;
  }

  /** Position of a token's first byte; for a string, of its opening quote. */
  start(token: number): number {
    return this.#tokens[token * 2] as number;
  }

  /** Position of a token's end: a string's closing quote, or the byte after a number or literal. */
  end(token: number): number {
    const end = this.#tokens[token * 2 + 1] as number;
    return end < 0 ? ~end : end;
  }

  /** The first byte of a token: `{`, `[`, `"`, `t`, `f`, `n`, or the first byte of a number. */
  kind(token: number): number {
    return this.bytes[this.#tokens[token * 2] as number] as number;
  }

  /** True when a string has escapes. Its bytes must then be decoded. */
  isEscaped(token: number): boolean {
    return (this.#tokens[token * 2 + 1] as number) < 0;
  }

  /** The first token after a value and its content. */
  after(token: number): number {
    const kind = this.kind(token);
    return kind === openBrace || kind === openBracket ? (this.#tokens[token * 2 + 1] as number) : token + 1;
  }

  /** Text of a string token. A lone surrogate from an escape stays in the text. */
  string(token: number): string {
    const start = this.start(token);
    const end = this.end(token);
    if (this.isEscaped(token)) {
      return JSON.parse(this.bytes.toString("utf8", start, end + 1)) as string;
    }
    return this.bytes.toString("utf8", start + 1, end);
  }

  /** Source text of a number or literal. */
  source(token: number): string {
    return this.bytes.toString("latin1", this.start(token), this.end(token));
  }

  #scan(): void {
    const { bytes } = this;
    const open = this.#open;
    let depth = 0;
    let parts = 0;
    let inObject = false;
    let at = this.#space(0);
    for (;;) {
      // A value must start at this position.
      const byte = bytes[at];
      if (byte === quote) {
        at = this.#space(this.#string(at));
      } else if (byte === openBrace || byte === openBracket) {
        if (++parts > maxJsonParts) {
          throw tooMany();
        }
        if (depth === maxDepth) {
          throw new WireError("WIRE_TOO_DEEP", `JSON is nested deeper than ${maxDepth}`);
        }
        open[depth++] = this.#push(at, 0);
        inObject = byte === openBrace;
        at = this.#space(at + 1);
        if (bytes[at] !== (inObject ? closeBrace : closeBracket)) {
          if (inObject) {
            at = this.#name(at);
          }
          continue;
        }
      } else {
        at = this.#space(this.#plain(at));
      }
      // After a value, a comma or a closing bracket must follow.
      for (;;) {
        if (depth === 0) {
          if (at < bytes.length) {
            throw this.#unexpected(at);
          }
          return;
        }
        const next = bytes[at];
        if (next === comma) {
          if (++parts > maxJsonParts) {
            throw tooMany();
          }
          at = this.#space(at + 1);
          if (inObject) {
            at = this.#name(at);
          }
          break;
        }
        if (next !== (inObject ? closeBrace : closeBracket)) {
          throw this.#unexpected(at);
        }
        this.#tokens[(open[--depth] as number) * 2 + 1] = this.#count;
        inObject = depth > 0 && this.kind(open[depth - 1] as number) === openBrace;
        at = this.#space(at + 1);
      }
    }
  }

  /** Reads a member's name and colon. @returns position of the member's value */
  #name(start: number): number {
    const { bytes } = this;
    if (bytes[start] !== quote) {
      throw this.#unexpected(start);
    }
    const at = this.#space(this.#string(start));
    if (bytes[at] !== colon) {
      throw this.#unexpected(at);
    }
    return this.#space(at + 1);
  }

  /** Reads a string whose opening quote is at `start`. @returns position after the closing quote */
  #string(start: number): number {
    const { bytes, view } = this;
    const last = bytes.length - 4;
    let escaped = false;
    let at = start + 1;
    for (;;) {
      // Reads four bytes at a time, until one is a quote, a backslash or a control character.
      while (at <= last) {
        const four = view.getInt32(at, true);
        const quotes = four ^ 0x22222222;
        const slashes = four ^ 0x5c5c5c5c;
        const found =
          (((quotes - 0x01010101) & ~quotes) |
            ((slashes - 0x01010101) & ~slashes) |
            ((four - 0x20202020) & ~four)) &
          0x80808080;
        if (found !== 0) {
          break;
        }
        at += 4;
      }
      let byte = bytes[at] as number;
      while (byte !== quote && byte !== backslash && byte >= 0x20) {
        byte = bytes[++at] as number;
      }
      if (byte === quote) {
        break;
      }
      if (byte !== backslash) {
        throw this.#unexpected(at);
      }
      escaped = true;
      at = this.#escape(at + 1);
    }
    this.#push(start, escaped ? ~at : at);
    return at + 1;
  }

  /** Skips the characters after a backslash. */
  #escape(start: number): number {
    const { bytes } = this;
    const byte = bytes[start] as number;
    if (escapes[byte] === 1) {
      return start + 1;
    }
    if (byte !== 0x75) {
      throw this.#unexpected(start);
    }
    for (let at = start + 1; at < start + 5; at++) {
      if (!isHexDigit(bytes[at])) {
        throw this.#unexpected(at);
      }
    }
    return start + 5;
  }

  /** Reads a number, true, false or null. */
  #plain(start: number): number {
    const { bytes } = this;
    const byte = bytes[start] as number;
    let at = start;
    if (byte === 0x74) {
      at = this.#word(start, "true");
    } else if (byte === 0x66) {
      at = this.#word(start, "false");
    } else if (byte === 0x6e) {
      at = this.#word(start, "null");
    } else {
      if (byte === 0x2d) {
        at++;
      }
      // After a leading zero, no digit is allowed.
      at = bytes[at] === 0x30 ? at + 1 : this.#digits(at);
      if (bytes[at] === 0x2e) {
        at = this.#digits(at + 1);
      }
      if (bytes[at] === 0x65 || bytes[at] === 0x45) {
        at++;
        if (bytes[at] === 0x2b || bytes[at] === 0x2d) {
          at++;
        }
        at = this.#digits(at);
      }
    }
    this.#push(start, at);
    return at;
  }

  #word(start: number, word: string): number {
    const { bytes } = this;
    for (let index = 0; index < word.length; index++) {
      if (bytes[start + index] !== word.charCodeAt(index)) {
        throw this.#unexpected(start + index);
      }
    }
    return start + word.length;
  }

  /** Skips one or more digits. */
  #digits(start: number): number {
    const { bytes } = this;
    let at = start;
    for (let byte = bytes[at] as number; byte >= 0x30 && byte <= 0x39; byte = bytes[at] as number) {
      at++;
    }
    if (at === start) {
      throw this.#unexpected(at);
    }
    return at;
  }

  /** Position of the first byte that is not white space, starting at `start`. */
  #space(start: number): number {
    const { bytes } = this;
    let at = start;
    // This test comes first, because white space is rare.
    while ((bytes[at] as number) <= 0x20 && isSpace(bytes[at])) {
      at++;
    }
    return at;
  }

  #push(start: number, end: number): number {
    const token = this.#count++;
    if (token * 2 === this.#tokens.length) {
      const grown = new Int32Array(token * 4);
      grown.set(this.#tokens);
      this.#tokens = grown;
    }
    this.#tokens[token * 2] = start;
    this.#tokens[token * 2 + 1] = end;
    return token;
  }

  #unexpected(at: number): WireError {
    const byte = this.bytes[at];
    if (byte === undefined) {
      return new WireError("WIRE_MALFORMED", `invalid JSON: it ends at byte ${at}`);
    }
    const shown =
      byte > 0x20 && byte < 0x7f
        ? `"${String.fromCharCode(byte)}"`
        : `0x${byte.toString(16).padStart(2, "0")}`;
    return new WireError("WIRE_MALFORMED", `invalid JSON: unexpected ${shown} at byte ${at}`);
  }
}

function mendedUtf8(bytes: Uint8Array): Buffer {
  const { buffer, byteOffset, byteLength } = bytes;
  return Buffer.from(Buffer.from(buffer, byteOffset, byteLength).toString("utf8"));
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) {
    return false;
  }
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

function tooMany(): WireError {
  return new WireError("WIRE_TOO_LARGE", `JSON has more values than the limit of ${maxJsonParts}`);
}
