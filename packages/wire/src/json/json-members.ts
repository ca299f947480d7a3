import type { JsonTape } from "./json-tape.ts";
import { unfitJson } from "./unfit-json.ts";

const openBrace = 0x7b;
const nullStart = 0x6e;
/** Token of the outermost value. */
const wholeMessage = 0;

/**
 * Finds the members of one kind of object by name, in any order. If a member is repeated, the last one counts; null
 * means a missing member; unknown members are skipped.
 */
export class JsonMembers {
  readonly #tape: JsonTape;
  /** Names grouped by length, each with its bytes and its number. */
  readonly #names: (readonly Name[])[] = [];
  /** For each name, the token of its value; -1 for a missing member. Valid until the next `read`. */
  readonly tokens: Int32Array;

  /**
   * @param names names in the order of their numbers. A name with two spellings has both, as in protobuf JSON:
   * lowerCamelCase, and the snake_case of the .proto file.
   */
  constructor(tape: JsonTape, names: readonly string[]) {
    this.#tape = tape;
    this.tokens = new Int32Array(names.length);
    for (const [number, name] of names.entries()) {
      const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      for (const spelling of new Set([name, snakeCase])) {
        this.#names[spelling.length] = [
          ...(this.#names[spelling.length] ?? []),
          { bytes: Buffer.from(spelling), number },
        ];
      }
    }
    for (let length = 0; length < this.#names.length; length++) {
      this.#names[length] ??= [];
    }
  }

  /**
   * Finds the members of an object. A null in a list is an object without members, as in Jaeger. Otherwise a
   * null would cause the loss of its span, or of all spans in the message.
   * @throws WireError WIRE_MALFORMED when the token is not an object
   */
  read(object: number): void {
    if (!this.tryRead(object)) {
      throw unfitJson(this.#tape, object, "an object");
    }
  }

  /** Like `read`, but does not throw. @returns false when the token is no object, so that no members are found */
  tryRead(object: number): boolean {
    const tape = this.#tape;
    const { tokens } = this;
    for (let number = 0; number < tokens.length; number++) {
      tokens[number] = -1;
    }
    const kind = tape.kind(object);
    if (kind !== openBrace) {
      return kind === nullStart && object !== wholeMessage;
    }
    const end = tape.after(object);
    for (let name = object + 1; name < end; name = tape.after(name + 1)) {
      const number = this.#numberOf(name);
      if (number === -1) {
        continue;
      }
      tokens[number] = tape.kind(name + 1) === nullStart ? -1 : name + 1;
    }
    return true;
  }

  #numberOf(token: number): number {
    const tape = this.#tape;
    let source: Uint8Array = tape.bytes;
    let start = tape.start(token) + 1;
    let length = tape.end(token) - start;
    if (tape.isEscaped(token)) {
      source = Buffer.from(tape.string(token));
      start = 0;
      length = source.length;
    }
    const names = this.#names[length];
    if (names === undefined) {
      return -1;
    }
    for (let index = 0; index < names.length; index++) {
      const { bytes, number } = names[index] as Name;
      let at = 0;
      while (at < length && bytes[at] === source[start + at]) {
        at++;
      }
      if (at === length) {
        return number;
      }
    }
    return -1;
  }
}

interface Name {
  readonly bytes: Uint8Array;
  readonly number: number;
}
