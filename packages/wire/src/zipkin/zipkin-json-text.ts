import { WireError } from "../errors.ts";
import { JsonTape } from "../json/json-tape.ts";
import { ipText, parseIp } from "./ip-text.ts";

const backslash = 0x5c;
const quote = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const nullStart = 0x6e;
/** Size limit in bytes for keeping the buffer of a message's copy. */
const keptBytes = 8 * 1024 * 1024;
const keptIps = 1024;
const shownLength = 100;

/**
 * A Zipkin JSON text and its values. Strings are positions in `bytes`, unescaped; 64-bit numbers are two halves. Errors
 * have the texts of Go's decoder, which clients of Jaeger know.
 */
export class ZipkinJsonText {
  readonly tape = new JsonTape();
  /** The text, followed by unescaped strings. */
  bytes: Buffer = Buffer.alloc(0);
  /** Start of the last string in `bytes`; `end` is the end of this string. */
  start = 0;
  end = 0;
  /** Low half of the last number; `high` is the high half. */
  low = 0;
  high = 0;
  #copy: Buffer = Buffer.alloc(0);
  #free = 0;
  readonly #ips = new Map<string, string>();

  /**
   * Reads a text. Bytes that are not UTF-8 become U+FFFD.
   * @throws WireError WIRE_TRUNCATED when the text ends early, WIRE_MALFORMED, WIRE_TOO_DEEP, WIRE_TOO_LARGE
   */
  open(message: Uint8Array): void {
    try {
      this.tape.read(message);
    } catch (error) {
      throw error instanceof WireError && error.message.startsWith("invalid JSON: it ends")
        ? new WireError("WIRE_TRUNCATED", "unexpected end of JSON input", { cause: error })
        : error;
    }
    const text = this.tape.bytes;
    const { length } = text;
    this.bytes = text;
    this.#free = length;
    if (this.#copy.length > keptBytes) {
      this.#copy = Buffer.alloc(0);
    }
    // An unescaped string never needs more space than its escaped form, so twice the length of the text is enough.
    if (text.includes(backslash)) {
      if (this.#copy.length < length * 2) {
        this.#copy = Buffer.allocUnsafeSlow(length * 2);
      }
      this.#copy.set(text);
      this.bytes = this.#copy;
    }
  }

  /** True when a token is a list; false for null. @throws WireError for other types */
  isList(token: number, name: string): boolean {
    const kind = this.tape.kind(token);
    if (kind !== openBracket && kind !== nullStart) {
      throw this.unfit(token, name, "array");
    }
    return kind === openBracket;
  }

  /** Finds the position of a string; the token must be a string. */
  locate(token: number): void {
    const { tape } = this;
    if (tape.isEscaped(token)) {
      this.start = this.#free;
      this.#free += this.bytes.write(tape.string(token), this.#free);
      this.end = this.#free;
    } else {
      this.start = tape.start(token) + 1;
      this.end = tape.end(token);
    }
  }

  /** Like `locate`. @throws WireError WIRE_MALFORMED when the token is not a string */
  string(token: number, name: string): void {
    if (this.tape.kind(token) !== quote) {
      throw this.unfit(token, name, "string");
    }
    this.locate(token);
  }

  /** Finds the position of a list or an object, from its first bracket to its last. */
  container(token: number): void {
    const { tape, bytes } = this;
    this.start = tape.start(token);
    let depth = 0;
    let at = this.start;
    do {
      const byte = bytes[at] as number;
      if (byte === quote) {
        at = closingQuote(bytes, at);
      } else if (byte === openBrace || byte === openBracket) {
        depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth--;
      }
      at++;
    } while (depth > 0);
    this.end = at;
  }

  /** True for an empty list, because PHP encodes an empty object as an empty list. */
  isEmptyList(token: number): boolean {
    const { tape } = this;
    return tape.kind(token) === openBracket && tape.after(token) === token + 1;
  }

  /** Reads an unsigned 64-bit number exactly, given as a number or a string. @throws WireError WIRE_MALFORMED */
  uint64(token: number, name: string): void {
    const { tape, bytes } = this;
    const isString = tape.kind(token) === quote;
    const from = tape.start(token) + (isString ? 1 : 0);
    const to = tape.end(token);
    let value = 0;
    let at = from;
    for (; at < to && at - from < 17; at++) {
      const digit = (bytes[at] as number) - 0x30;
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
    }
    // The rare cases: more digits, a sign, a fraction.
    if (at < to || from === to || value > Number.MAX_SAFE_INTEGER) {
      this.#unusualUint64(token, name);
    } else {
      this.low = value >>> 0;
      this.high = Math.floor(value / 0x1_0000_0000);
    }
  }

  /** Like `uint64`, for a time in microseconds. Clients that use floating point send fractions. */
  micros(token: number, name: string): void {
    try {
      this.uint64(token, name);
    } catch (error) {
      if (!/^\d{1,16}\.\d+$/.test(this.tape.source(token))) {
        throw error;
      }
      const value = Math.floor(Number(this.tape.source(token)));
      this.low = value >>> 0;
      this.high = Math.floor(value / 0x1_0000_0000);
    }
  }

  /** An IP address in its standard form; "" for an empty string. @throws WireError WIRE_MALFORMED */
  ip(token: number, name: string): string {
    this.string(token, name);
    if (this.start === this.end) {
      return "";
    }
    const text = this.bytes.toString("utf8", this.start, this.end);
    const known = this.#ips.get(text);
    if (known !== undefined) {
      return known;
    }
    const address = parseIp(text);
    if (address === undefined) {
      throw new WireError("WIRE_MALFORMED", `invalid IP address: ${shown(text)}`);
    }
    if (this.#ips.size === keptIps) {
      this.#ips.clear();
    }
    const usual = ipText(address);
    this.#ips.set(text, usual);
    return usual;
  }

  /**
   * The members of an object that are not null, by name in lower case, because senders may write names in upper or
   * lower case. When a name is repeated, the last member counts. An empty list counts as an object without members.
   * @throws WireError WIRE_MALFORMED when it is no object
   */
  members(token: number, name: string): Map<string, number> {
    const { tape } = this;
    if (this.isEmptyList(token)) {
      return new Map();
    }
    if (tape.kind(token) !== openBrace) {
      throw this.unfit(token, name, "object");
    }
    const members = new Map<string, number>();
    const end = tape.after(token);
    for (let key = token + 1; key < end; key = tape.after(key + 1)) {
      if (tape.kind(key + 1) !== nullStart) {
        members.set(tape.string(key).toLowerCase(), key + 1);
      }
    }
    return members;
  }

  /** A string; "" when absent. A lone surrogate becomes U+FFFD. @throws WireError WIRE_MALFORMED */
  text(token: number | undefined, name: string): string {
    if (token === undefined) {
      return "";
    }
    if (this.tape.kind(token) !== quote) {
      throw this.unfit(token, name, "string");
    }
    return this.tape.string(token).toWellFormed();
  }

  /** A signed 64-bit number, given as a number or a string; 0 when absent. @throws WireError WIRE_MALFORMED */
  int64(token: number | undefined, name: string): bigint {
    if (token === undefined) {
      return 0n;
    }
    const { tape } = this;
    const text = tape.kind(token) === quote ? tape.string(token) : tape.source(token);
    let value = Number.isSafeInteger(Number(text || "-")) ? BigInt(Number(text)) : 2n ** 63n;
    if (/^-?\d{1,19}$/.test(text)) {
      value = BigInt(text);
    }
    if (BigInt.asIntN(64, value) !== value) {
      throw this.unfit(token, name, "int64");
    }
    return value;
  }

  /** The error for a value of a wrong type. @param wanted the expected type */
  unfit(token: number, name: string, wanted: string): WireError {
    return new WireError(
      "WIRE_MALFORMED",
      `json: cannot unmarshal ${this.#typeOf(token)} into ${shown(name)} of type ${wanted}`,
    );
  }

  #unusualUint64(token: number, name: string): void {
    const { tape } = this;
    const kind = tape.kind(token);
    const isNumber = kind === 0x2d || (kind >= 0x30 && kind <= 0x39);
    if (!isNumber && kind !== quote) {
      throw this.unfit(token, name, "uint64");
    }
    const text = isNumber ? tape.source(token) : tape.string(token);
    let value = -1n;
    if (/^\d{1,20}$/.test(text)) {
      value = BigInt(text);
    } else if (isNumber && Number.isSafeInteger(Number(text))) {
      value = BigInt(Number(text));
    }
    if (BigInt.asUintN(64, value) !== value) {
      throw this.unfit(token, name, "uint64");
    }
    this.low = Number(BigInt.asIntN(32, value));
    this.high = Number(value >> 32n);
  }

  #typeOf(token: number): string {
    const { tape } = this;
    switch (tape.kind(token)) {
      case openBrace:
        return "object";
      case openBracket:
        return "array";
      case quote:
        return "string";
      case 0x74:
      case 0x66:
        return "bool";
      case nullStart:
        return "null";
      default:
        return `number ${shown(tape.source(token))}`;
    }
  }
}

/** @returns position of the closing quote of a string that begins at `at` */
function closingQuote(bytes: Buffer, at: number): number {
  let end = at + 1;
  while (bytes[end] !== quote) {
    end += bytes[end] === backslash ? 2 : 1;
  }
  return end;
}

function shown(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
