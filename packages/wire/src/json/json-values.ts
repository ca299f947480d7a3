import { WireError } from "../errors.ts";
import type { AttributeWriter } from "../rows/attribute-writer.ts";
import { type ByteWriter, hexValues } from "../rows/byte-writer.ts";
import { jsonPathOf } from "./json-path.ts";
import type { JsonTape } from "./json-tape.ts";
import { unfitJson } from "./unfit-json.ts";

const quote = 0x22;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;

/** Whole number of up to 20 digits. A longer number never fits into 64 bits, so no bigint is made from it. */
const intText = /^-?\d{1,20}$/;
/** Base64 in both alphabets; padding is optional. */
const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;

/**
 * Reads the values of protobuf JSON from a tape. Token -1 means a missing member, whose value is the default of its
 * type. A value of a wrong type causes a WireError WIRE_MALFORMED with the path of the value.
 *
 * Source: protobuf.dev, "ProtoJSON format".
 */
export class JsonValues {
  readonly #tape: JsonTape;
  /** Low and high 32 bits of the last `uint64`; each may be a signed or an unsigned number. */
  low = 0;
  high = 0;

  constructor(tape: JsonTape) {
    this.#tape = tape;
  }

  /** Writes a string's bytes with their length. A lone surrogate from an escape becomes U+FFFD. */
  writeString(token: number, out: ByteWriter): void {
    const tape = this.#tape;
    if (token === -1) {
      out.uint8(0);
      return;
    }
    this.#checkString(token);
    if (tape.isEscaped(token)) {
      out.string(tape.string(token));
    } else {
      out.text(tape.bytes, tape.view, tape.start(token) + 1, tape.end(token));
    }
  }

  /** Writes a string as the key of an attribute of this type; its value must follow. */
  writeKey(token: number, type: number, attributes: AttributeWriter): void {
    const tape = this.#tape;
    if (token === -1) {
      attributes.key(type, "");
      return;
    }
    this.#checkString(token);
    if (tape.isEscaped(token)) {
      attributes.key(type, tape.string(token));
    } else {
      attributes.keyBytes(type, tape, tape.start(token) + 1, tape.end(token));
    }
  }

  /** Writes a string as the value of an attribute. */
  writeText(token: number, attributes: AttributeWriter): void {
    const tape = this.#tape;
    this.#checkString(token);
    if (tape.isEscaped(token)) {
      attributes.value(tape.string(token));
    } else {
      attributes.valueBytes(tape.bytes, tape.view, tape.start(token) + 1, tape.end(token));
    }
  }

  /** A string as a JavaScript string. A lone surrogate from an escape stays in the string. */
  string(token: number): string {
    if (token === -1) {
      return "";
    }
    this.#checkString(token);
    return this.#tape.string(token);
  }

  /** True when an id is absent, empty or all zeros. Its length is not checked here, but in `writeId`. */
  isEmptyId(token: number): boolean {
    if (token === -1) {
      return true;
    }
    this.#checkString(token);
    const tape = this.#tape;
    if (tape.isEscaped(token)) {
      return /^0*$/.test(tape.string(token));
    }
    const end = tape.end(token);
    let at = tape.start(token) + 1;
    while (at < end && tape.bytes[at] === zero) {
      at++;
    }
    return at === end;
  }

  /** Number of characters of an id; 0 for a missing id, and for a token that is no string. */
  idLength(token: number): number {
    const tape = this.#tape;
    if (token === -1 || tape.kind(token) !== quote) {
      return 0;
    }
    return tape.isEscaped(token) ? tape.string(token).length : tape.end(token) - tape.start(token) - 1;
  }

  /**
   * Writes an id, given in upper-case or lower-case hex. An absent or empty id becomes zeros.
   * @throws WireError WIRE_BAD_ID unless its length is `byteCount * 2`; WIRE_MALFORMED for characters that are not hex
   */
  writeId(token: number, byteCount: number, out: ByteWriter): void {
    if (token === -1) {
      out.zeros(byteCount);
      return;
    }
    this.#checkString(token);
    const tape = this.#tape;
    let source = tape.bytes;
    let start = tape.start(token) + 1;
    let length = tape.end(token) - start;
    if (tape.isEscaped(token)) {
      source = Buffer.from(tape.string(token));
      start = 0;
      length = source.length;
    }
    if (length === 0) {
      out.zeros(byteCount);
      return;
    }
    if (length !== byteCount * 2) {
      const path = jsonPathOf(tape, token);
      throw new WireError("WIRE_BAD_ID", `${path} has ${length} hex digits, not ${byteCount * 2}`);
    }
    out.reserve(byteCount);
    const { buffer } = out;
    let bits = 0;
    let at = start;
    for (let position = out.length; position < out.length + byteCount; position++) {
      const high = hexValues[source[at] as number] as number;
      const low = hexValues[source[at + 1] as number] as number;
      bits |= high | low;
      buffer[position] = (high << 4) | low;
      at += 2;
    }
    if (bits > 15) {
      throw unfitJson(tape, token, "hex");
    }
    out.length += byteCount;
  }

  /** `true` or `false`. The strings "true" and "false" are refused. */
  bool(token: number): boolean {
    const kind = this.#tape.kind(token);
    if (kind !== 0x74 && kind !== 0x66) {
      throw unfitJson(this.#tape, token, "true or false");
    }
    return kind === 0x74;
  }

  /** An unsigned 32-bit int, given as a number or a string. */
  uint32(token: number): number {
    if (token === -1) {
      return 0;
    }
    const tape = this.#tape;
    const start = tape.start(token);
    if (tape.end(token) === start + 1) {
      const digit = (tape.bytes[start] as number) - zero;
      if (digit >= 0 && digit <= 9) {
        return digit;
      }
    }
    const int = this.#int(token);
    if (BigInt.asUintN(32, int) !== int) {
      throw unfitJson(tape, token, "an unsigned 32-bit integer");
    }
    return Number(int);
  }

  /** Reads an unsigned 64-bit int, given as a number or a string, into `low` and `high`. */
  uint64(token: number): void {
    this.low = 0;
    this.high = 0;
    if (token === -1) {
      return;
    }
    const { bytes } = this.#tape;
    const end = this.#tape.end(token);
    let start = this.#tape.start(token);
    if (bytes[start] === quote) {
      start++;
    }
    if (end - start < 20 && areDigits(bytes, start, end)) {
      // The number is split into up to ten upper digits and nine lower digits.
      let upper = 0;
      let lower = 0;
      let at = start;
      for (; at < end - 9; at++) {
        upper = upper * 10 + (bytes[at] as number) - zero;
      }
      for (; at < end; at++) {
        lower = lower * 10 + (bytes[at] as number) - zero;
      }
      // Computes upper * 1e9 + lower exactly, because no intermediate number has more than 53 bits.
      const over = Math.floor(upper / 0x10_0000) * 1e9;
      const rest = (over % 4096) * 0x10_0000 + (upper % 0x10_0000) * 1e9 + lower;
      this.low = (rest % 0x1_0000_0000) | 0;
      this.high = (Math.floor(over / 4096) + Math.floor(rest / 0x1_0000_0000)) | 0;
      return;
    }
    const int = this.#int(token);
    if (BigInt.asUintN(64, int) !== int) {
      throw unfitJson(this.#tape, token, "an unsigned 64-bit integer");
    }
    this.low = Number(BigInt.asIntN(32, int));
    this.high = Number(BigInt.asIntN(32, int >> 32n));
  }

  /** A signed 64-bit int, given as a number or a string. */
  int64(token: number): bigint {
    const int = this.#int(token);
    if (BigInt.asIntN(64, int) !== int) {
      throw unfitJson(this.#tape, token, "a 64-bit integer");
    }
    return int;
  }

  /** Writes the decimal text of a signed 64-bit int as the value of an attribute. */
  writeInt64Text(token: number, attributes: AttributeWriter): void {
    const tape = this.#tape;
    const { bytes } = tape;
    const end = tape.end(token);
    let start = tape.start(token);
    if (bytes[start] === quote) {
      start++;
    }
    const first = bytes[start] === minus ? start + 1 : start;
    const isCanonical = (bytes[first] as number) > zero || (end === start + 1 && first === start);
    if (isCanonical && end - first < 19 && areDigits(bytes, first, end)) {
      attributes.valueBytes(bytes, tape.view, start, end);
    } else {
      attributes.value(String(this.int64(token)));
    }
  }

  /** A double, given as a number or as a string (`NaN`, `Infinity`, `-Infinity` or digits). */
  double(token: number): number {
    const tape = this.#tape;
    const kind = tape.kind(token);
    if (kind === quote) {
      const text = tape.string(token);
      const value = Number(text);
      if (text.trim() !== "" && (!Number.isNaN(value) || text === "NaN")) {
        return value;
      }
    } else if (isNumber(kind)) {
      return Number(tape.source(token));
    }
    throw unfitJson(tape, token, "a number");
  }

  /** Bytes in base64, in the standard or the URL-safe alphabet, with or without padding. */
  base64(token: number): Uint8Array {
    const tape = this.#tape;
    if (tape.kind(token) === quote) {
      const text = tape.string(token);
      if (base64Text.test(text)) {
        return Buffer.from(text, "base64");
      }
    }
    throw unfitJson(tape, token, "base64");
  }

  /**
   * Enum value, given as a number or as `<prefix><NAME>`.
   * @param names lower-case names, by number
   * @returns number of the value; 0 for numbers that `names` does not have
   */
  enumNumber(token: number, prefix: string, names: readonly string[]): number {
    if (token === -1) {
      return 0;
    }
    const tape = this.#tape;
    const kind = tape.kind(token);
    let number = -1;
    if (kind === quote) {
      const text = tape.string(token);
      number = names.findIndex((name) => text === `${prefix}${name.toUpperCase()}`);
    } else if (isNumber(kind)) {
      const value = tape.end(token) === tape.start(token) + 1 ? kind - zero : Number(tape.source(token));
      if (Number.isSafeInteger(value)) {
        number = value > 0 && value < names.length ? value : 0;
      }
    }
    if (number === -1) {
      throw unfitJson(tape, token, `a number or ${prefix}…`);
    }
    return number;
  }

  /** Number of items of an array. The first item is the token after the array's token. */
  itemCount(token: number): number {
    if (token === -1) {
      return 0;
    }
    const tape = this.#tape;
    if (tape.kind(token) !== 0x5b) {
      throw unfitJson(tape, token, "an array");
    }
    const end = tape.after(token);
    let count = 0;
    for (let item = token + 1; item < end; item = tape.after(item)) {
      count++;
    }
    return count;
  }

  /** @throws WireError WIRE_MALFORMED with the path of a token that is not a string */
  #checkString(token: number): void {
    if (this.#tape.kind(token) !== quote) {
      throw unfitJson(this.#tape, token, "a string");
    }
  }

  /**
   * A whole number of any size, which may be written as `1e3` or `"12"`. @throws WireError WIRE_MALFORMED for any other
   * value
   */
  #int(token: number): bigint {
    const tape = this.#tape;
    const kind = tape.kind(token);
    if (kind === quote) {
      const text = tape.string(token);
      if (intText.test(text)) {
        return BigInt(text);
      }
    } else if (isNumber(kind)) {
      const source = tape.source(token);
      if (intText.test(source)) {
        return BigInt(source);
      }
      const value = Number(source);
      if (Number.isInteger(value)) {
        return BigInt(value);
      }
    }
    throw unfitJson(tape, token, "an integer");
  }
}

/** True when `[start, end)` consists of one or more digits. */
function areDigits(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < zero || byte > nine) {
      return false;
    }
  }
  return start < end;
}

/** @param kind first byte of a token */
function isNumber(kind: number): boolean {
  return kind === minus || (kind >= zero && kind <= nine);
}
