import { WireError } from "../errors.ts";
import type { JsonMembers } from "../json/json-members.ts";
import type { JsonTape } from "../json/json-tape.ts";
import type { JsonValues } from "../json/json-values.ts";
import { unfitJson } from "../json/unfit-json.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { cutValuesWarning, SpanMends } from "../rows/span-mends.ts";

const openBracket = 0x5b;
const quote = 0x22;

/**
 * Reads the optional parts of OTLP JSON. A part of a wrong type is dropped with a warning, and then counts as missing.
 * Without this, a fault in an optional part would cause the loss of its span, or of all spans of a resource or scope.
 */
export class JsonMends {
  readonly #tape: JsonTape;
  readonly #values: JsonValues;
  /** Receives the warnings: of the present span, or of the present resource or scope. */
  #mends: SpanMends = new SpanMends();

  constructor(tape: JsonTape, values: JsonValues) {
    this.#tape = tape;
    this.#values = values;
  }

  /** Sends later warnings to `mends`. */
  into(mends: SpanMends): void {
    this.#mends = mends;
  }

  /** Finds the members of an object; a missing or dropped object has none. */
  read(members: JsonMembers, token: number): void {
    if (token === -1) {
      members.tokens.fill(-1);
    } else if (!members.tryRead(token)) {
      this.#dropUnfit(token, "an object");
    }
  }

  /** The token of an array; -1 for a missing or dropped array. */
  array(token: number): number {
    return this.#of(token, openBracket, "an array");
  }

  /** Writes a string; "" for a missing or dropped string. */
  writeString(token: number, out: ByteWriter): void {
    this.#values.writeString(this.string(token), out);
  }

  /** The token of a string; -1 for a missing or dropped string. */
  string(token: number): number {
    return this.#of(token, quote, "a string");
  }

  /** An unsigned 32-bit int; 0 for a missing or dropped number. */
  uint32(token: number): number {
    if (token === -1) {
      return 0;
    }
    try {
      return this.#values.uint32(token);
    } catch (error) {
      this.drop(error);
      return 0;
    }
  }

  /** Reads an unsigned 64-bit int into `low` and `high` of the values; 0 for a missing or dropped number. */
  uint64(token: number): void {
    try {
      this.#values.uint64(token);
    } catch (error) {
      this.drop(error);
    }
  }

  /** Like `JsonValues.enumNumber`, but 0 for a missing or dropped value. */
  enumNumber(token: number, prefix: string, names: readonly string[]): number {
    try {
      return this.#values.enumNumber(token, prefix, names);
    } catch (error) {
      this.drop(error);
      return 0;
    }
  }

  /**
   * Warns that a part was dropped.
   * @param error why the part cannot be read
   * @throws the error itself when it has another cause than the bytes of the message, or when the space limit was
   * reached
   */
  drop(error: unknown): void {
    throwUnlessMendable(error);
    this.#mends.add(`dropped: ${error.message}`);
  }

  /** Warns that a value was cut because it is nested deeper than `maxAttributeDepth`. */
  cut(): void {
    this.#mends.add(cutValuesWarning);
  }

  #of(token: number, kind: number, wanted: string): number {
    if (token === -1 || this.#tape.kind(token) === kind) {
      return token;
    }
    this.#dropUnfit(token, wanted);
    return -1;
  }

  #dropUnfit(token: number, wanted: string): void {
    // An error is made only if its warning is kept, because making errors is slow.
    if (!this.#mends.isFull) {
      this.drop(unfitJson(this.#tape, token, wanted));
    }
  }
}

/** @throws the error when it has another cause than the bytes of the message, or when the space limit was reached */
export function throwUnlessMendable(error: unknown): asserts error is WireError {
  if (!(error instanceof WireError) || error.code === "WIRE_TOO_LARGE") {
    throw error;
  }
}
