import { WireError } from "../errors.ts";
import type { Attribute, AttributeType, AttributeValue } from "../model/attribute.ts";
import { checkAttributeDepth } from "./typed-json.ts";

/** A JSON number at `lastIndex`. With the flag `y`, the expression does not search further. */
const numberToken = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;

/**
 * Parses a text made by `attributeText`.
 * @throws WireError WIRE_MALFORMED for a text that is no value of this type; WIRE_TOO_DEEP above `maxAttributeDepth`
 */
export function parseAttributeText(type: AttributeType, text: string): AttributeValue {
  switch (type) {
    case "empty":
      return { type };
    case "string":
      return { type, value: text };
    case "bool":
      if (text !== "true" && text !== "false") {
        throw malformed(type, text);
      }
      return { type, value: text === "true" };
    case "int":
      if (!/^-?\d{1,19}$/.test(text)) {
        throw malformed(type, text);
      }
      return { type, value: BigInt(text) };
    case "double":
      return { type, value: parseDouble(text) };
    case "bytes":
      if (!/^([0-9a-f]{2})*$/.test(text)) {
        throw malformed(type, text);
      }
      return { type, value: Buffer.from(text, "hex") };
    case "array":
    case "kvlist": {
      const value = parseTypedJson(text);
      if (value.type !== type) {
        throw malformed(type, text);
      }
      return value;
    }
  }
}

function parseDouble(text: string): number {
  const value = Number(text);
  if (text === "" || (Number.isNaN(value) && text !== "NaN")) {
    throw malformed("double", text);
  }
  return value;
}

function malformed(type: AttributeType, text: string): WireError {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return new WireError(
    "WIRE_MALFORMED",
    `${JSON.stringify(shown)} is not the text of a value of type ${type}`,
  );
}

/**
 * Reads the output of `typedJson` (which describes the form), without white space between tokens. A separate parser is
 * needed because `JSON.parse` rounds ints above 2^53, drops repeated keys, and moves numeric keys to the front.
 *
 * `[1,1.5,{"$bytes":"00ff"},{"$$key":null}]` is a list with the int 1, the double 1.5, two bytes, and a kvlist with the
 * key `$key` and an empty value.
 *
 * @throws WireError WIRE_MALFORMED when `text` is not typed JSON; WIRE_TOO_DEEP past `maxAttributeDepth`
 */
export function parseTypedJson(text: string): AttributeValue {
  const parser = new TypedJsonParser(text);
  const value = parser.value(0);
  parser.end();
  return value;
}

/** A recursive parser. `#position` is the position of the next character, even after an error. */
class TypedJsonParser {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param depth number of lists and kvlists that contain the value */
  value(depth: number): AttributeValue {
    switch (this.#text[this.#position]) {
      case '"':
        return { type: "string", value: this.#string() };
      case "[":
        return { type: "array", value: this.#array(depth + 1) };
      case "{":
        return this.#object(depth + 1);
      case "t":
        this.#expect("true");
        return { type: "bool", value: true };
      case "f":
        this.#expect("false");
        return { type: "bool", value: false };
      case "n":
        this.#expect("null");
        return { type: "empty" };
      default:
        return this.#number();
    }
  }

  end(): void {
    if (this.#position !== this.#text.length) {
      throw this.#malformed();
    }
  }

  #array(depth: number): AttributeValue[] {
    checkAttributeDepth(depth);
    const items: AttributeValue[] = [];
    this.#expect("[");
    if (this.#take("]")) {
      return items;
    }
    do {
      items.push(this.value(depth));
    } while (this.#take(","));
    this.#expect("]");
    return items;
  }

  /** Reads a kvlist, or a value that JSON cannot represent and that therefore has a key with a single `$`. */
  #object(depth: number): AttributeValue {
    if (this.#text.startsWith('{"$', this.#position) && this.#text[this.#position + 3] !== "$") {
      return this.#marker();
    }
    checkAttributeDepth(depth);
    const entries: Attribute[] = [];
    this.#expect("{");
    if (this.#take("}")) {
      return { type: "kvlist", value: entries };
    }
    do {
      const key = this.#key();
      this.#expect(":");
      entries.push({ key, value: this.value(depth) });
    } while (this.#take(","));
    this.#expect("}");
    return { type: "kvlist", value: entries };
  }

  /** Reads a key. If a key starts with `$$`, its first `$` is removed. */
  #key(): string {
    const key = this.#string();
    if (!key.startsWith("$")) {
      return key;
    }
    if (!key.startsWith("$$")) {
      throw this.#malformed();
    }
    return key.slice(1);
  }

  /** Reads `{"$bytes":"hex"}` or `{"$double":"NaN"}`. */
  #marker(): AttributeValue {
    this.#expect("{");
    const name = this.#string();
    this.#expect(":");
    const text = this.#string();
    this.#expect("}");
    if (name === "$bytes" && /^([0-9a-f]{2})*$/.test(text)) {
      return { type: "bytes", value: Buffer.from(text, "hex") };
    }
    if (name === "$double" && /^(NaN|-?Infinity)$/.test(text)) {
      return { type: "double", value: Number(text) };
    }
    throw this.#malformed();
  }

  /** A number with a point or an exponent is a double; any other number is an int of 64 bits. */
  #number(): AttributeValue {
    const token = this.#token(numberToken);
    if (/[.eE]/.test(token)) {
      return { type: "double", value: Number(token) };
    }
    const value = BigInt(token);
    if (BigInt.asIntN(64, value) !== value) {
      throw this.#malformed();
    }
    return { type: "int", value };
  }

  /** Reads text between quotes. Only texts with a backslash need `JSON.parse`. */
  #string(): string {
    const start = this.#position;
    this.#expect('"');
    let end = this.#text.indexOf('"', start + 1);
    while (end !== -1 && this.#isEscaped(end)) {
      end = this.#text.indexOf('"', end + 1);
    }
    if (end === -1) {
      throw this.#malformed();
    }
    this.#position = end + 1;
    const token = this.#text.slice(start, end + 1);
    if (!token.includes("\\")) {
      return token.slice(1, -1);
    }
    try {
      return JSON.parse(token) as string;
    } catch (cause) {
      throw this.#malformed(cause);
    }
  }

  /** True when an odd number of backslashes precedes `position`. */
  #isEscaped(position: number): boolean {
    let first = position;
    while (this.#text[first - 1] === "\\") {
      first--;
    }
    return (position - first) % 2 === 1;
  }

  #token(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const token = pattern.exec(this.#text)?.[0];
    if (token === undefined) {
      throw this.#malformed();
    }
    this.#position += token.length;
    return token;
  }

  /** Skips the character if it is next. @returns true when it was skipped */
  #take(mark: string): boolean {
    if (this.#text[this.#position] !== mark) {
      return false;
    }
    this.#position++;
    return true;
  }

  /** Skips the text. @throws WireError WIRE_MALFORMED when another text is next */
  #expect(word: string): void {
    if (!this.#text.startsWith(word, this.#position)) {
      throw this.#malformed();
    }
    this.#position += word.length;
  }

  #malformed(cause?: unknown): WireError {
    return new WireError("WIRE_MALFORMED", `typed JSON breaks off at character ${this.#position}`, { cause });
  }
}
