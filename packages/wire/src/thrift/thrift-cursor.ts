import { WireError } from "../errors.ts";
import { type ThriftField, type ThriftStruct, type ThriftType, thriftTypes } from "./thrift-descriptors.ts";

const typeNames = new Map<number, string>(Object.entries(thriftTypes).map(([name, type]) => [type, name]));

/** Maximum number of levels in skipped values, which the IDL does not declare; the same as in Apache's readers. */
const maxDepth = 64;
/**
 * The limit of nesting in a rejected span. Deeper values could overflow the stack before the end of the span is found.
 */
const maxRejectedDepth = 1_000;

/** The error for invalid bytes. For bytes that end too early, WIRE_TRUNCATED is used instead. */
export function malformed(message: string): WireError {
  return new WireError("WIRE_MALFORMED", message);
}

/**
 * A position in Thrift bytes of either protocol. Values are read into the cursor's fields, without objects
 * and copies. A read past the end is WireError WIRE_TRUNCATED.
 */
export abstract class ThriftCursor {
  bytes: Buffer = Buffer.alloc(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  position = 0;
  end = 0;
  /** Id of the last field; `fieldType` is its type. */
  fieldId = 0;
  fieldType = 0;
  /** Low and high 32 bits of the last 64-bit number; each may be signed or unsigned. */
  low = 0;
  high = 0;
  /** Start and end of the last string in `bytes`. */
  start = 0;
  stop = 0;
  /** Element type of the last list or set, or 0 for a type that the protocol does not have; `count` is its size. */
  elementType = 0;
  count = 0;
  /** True when lists are read as declared in the IDL, without regard to the element type in their headers. */
  #readsAsDeclared = false;
  /** True when a list of structs in this message has another element type in its header. */
  hasOtherElements = false;

  /** Moves to the start of other bytes. */
  open(bytes: Uint8Array): void {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = 0;
    this.end = bytes.length;
  }

  /**
   * Reads the envelope of a message; `start` and `stop` are then the bounds of the method's name.
   * @returns the type of the message
   * @throws WireError WIRE_MALFORMED for bytes of another protocol or version
   */
  abstract message(): number;

  /**
   * Reads the header of a struct's next field into `fieldId` and `fieldType`.
   * @param previousId id of the previous field; 0 for the first field
   * @returns false at the end of the struct
   */
  abstract field(previousId: number): boolean;

  /** The value of the bool field whose header was read last. */
  abstract bool(): boolean;

  abstract int32(): number;

  /** Reads a number of 64 bits into `low` and `high`. */
  abstract int64(): void;

  abstract double(): number;

  /** Skips a string, and sets `start` and `stop` to its bounds. */
  abstract string(): void;

  /**
   * Reads the header of a list or set into `elementType` and `count`. `count` is never greater than the number of
   * remaining bytes.
   */
  abstract list(): void;

  /** Reads the header of a map into `count`. @returns key type * 16 + value type */
  protected abstract map(): number;

  /**
   * Skips a value if all values of its type have the same size. @returns false for any other type, whose value is then
   * not skipped
   */
  protected abstract skipPlain(type: number): boolean;

  /**
   * True when the last field has the type declared in the IDL. A field of another type is skipped, as generated readers
   * do, because it comes from a different IDL. Its span is rejected only if the field is required. Callers pass the
   * type that they will read, so that the compiler compares it with the IDL.
   */
  has<Type extends ThriftType>(type: Type, _field: ThriftField<Type>): boolean {
    if (this.fieldType === type) {
      return true;
    }
    this.skipField();
    return false;
  }

  /**
   * Reads a message in which headers of lists may name other element types than the IDL declares. Such a list is first
   * skipped, like a field of another type. If this loses spans or bytes, the message is read again as declared in the
   * IDL, and the result with the smaller loss is used. The second reading matches readers from Apache's compiler, which
   * ignore the element type of a known list.
   * @param read starts at the current position, and must drop the result of an earlier call
   * @param lostOf returns the number of rejected spans in a result
   * @throws WireError of the first reading, if both readings fail
   */
  readEitherWay<Result>(read: () => Result, lostOf: (result: Result) => number): Result {
    const start = this.position;
    this.hasOtherElements = false;
    let problem: unknown;
    let loss = Number.POSITIVE_INFINITY;
    try {
      const result = read();
      loss = this.hasOtherElements ? this.#loss(lostOf(result)) : 0;
      if (loss === 0) {
        return result;
      }
    } catch (error) {
      if (!(error instanceof WireError && this.hasOtherElements)) {
        throw error;
      }
      problem = error;
    }
    this.#readsAsDeclared = true;
    try {
      this.position = start;
      const result = read();
      if (this.#loss(lostOf(result)) < loss) {
        return result;
      }
    } catch (error) {
      problem ??= error instanceof WireError ? undefined : error;
    } finally {
      this.#readsAsDeclared = false;
    }
    if (problem !== undefined) {
      throw problem;
    }
    this.position = start;
    return read();
  }

  /** Bytes may follow a message, so remaining bytes count less than a rejected span. */
  #loss(rejectedSpans: number): number {
    return rejectedSpans * 2 + (this.position === this.end ? 0 : 1);
  }

  /**
   * Reads the header of a list of structs, where the last field must be the list. An element type that the protocol
   * does not have is treated as structs. A list of another type is skipped.
   * @returns number of structs that follow
   */
  structs(): number {
    this.list();
    if (this.#isOfStructs()) {
      return this.count;
    }
    const { elementType } = this;
    for (let left = this.count; left > 0; left--) {
      this.skip(elementType, 1);
    }
    return 0;
  }

  /**
   * Like `structs`, but for the list of spans, without which the message is invalid.
   * @param name name of the list, for the error
   * @throws WireError WIRE_MALFORMED for a list of other elements than structs
   */
  spans(name: string): number {
    this.list();
    if (!this.#isOfStructs()) {
      throw malformed(`${name} is a list of ${typeNames.get(this.elementType)}, not of struct`);
    }
    return this.count;
  }

  #isOfStructs(): boolean {
    if (this.elementType === thriftTypes.struct || this.count === 0 || !typeNames.has(this.elementType)) {
      return true;
    }
    this.hasOtherElements = true;
    return this.#readsAsDeclared;
  }

  /**
   * Moves to the end of the faulty struct that begins at `start`.
   * @param problem the fault
   * @param struct declaration of the struct
   * @throws the problem when the bytes are no Thrift struct, because the position of the next struct is then unknown
   */
  passOverStruct(start: number, problem: unknown, struct: ThriftStruct): void {
    if (!(problem instanceof WireError)) {
      throw problem;
    }
    this.position = start;
    try {
      if (this.#readsAsDeclared) {
        this.#skipAsDeclared(struct);
      } else {
        this.skip(thriftTypes.struct, 0, maxRejectedDepth);
      }
    } catch {
      throw problem;
    }
  }

  /** Skips a struct by its declaration; declarations are not recursive. */
  #skipAsDeclared(struct: ThriftStruct): void {
    const fields = Object.values(struct.fields);
    for (let id = 0; this.field(id); ) {
      id = this.fieldId;
      const known = fields.find((field) => field.id === id && field.type === this.fieldType);
      if (known?.struct === undefined) {
        this.skipField(maxRejectedDepth);
      } else {
        for (let left = known.type === thriftTypes.list ? this.structs() : 1; left > 0; left--) {
          this.#skipAsDeclared(known.struct);
        }
      }
    }
  }

  /**
   * Skips a value.
   * @param most limit of nesting
   * @throws WireError WIRE_TOO_DEEP above the limit; WIRE_MALFORMED for an unknown type
   */
  skip(type: number, depth = 0, most = maxDepth): void {
    if (depth > most) {
      throw new WireError("WIRE_TOO_DEEP", `values are nested deeper than ${most}`);
    }
    if (this.skipPlain(type)) {
      return;
    }
    switch (type) {
      case thriftTypes.string:
        this.string();
        return;
      case thriftTypes.struct: {
        let id = 0;
        while (this.field(id)) {
          id = this.fieldId;
          // In the compact protocol, the type number of a bool field is also its value.
          if (this.fieldType === thriftTypes.bool) {
            this.bool();
          } else {
            this.skip(this.fieldType, depth + 1, most);
          }
        }
        return;
      }
      case thriftTypes.list:
      case thriftTypes.set: {
        this.list();
        const { elementType } = this;
        for (let left = this.count; left > 0; left--) {
          this.skip(elementType, depth + 1, most);
        }
        return;
      }
      case thriftTypes.map: {
        const types = this.map();
        for (let left = this.count; left > 0; left--) {
          this.skip(types >>> 4, depth + 1, most);
          this.skip(types & 15, depth + 1, most);
        }
        return;
      }
      default:
        throw malformed(`unknown type ${type} before offset ${this.position}`);
    }
  }

  /** Skips the field whose header was read last. */
  skipField(most = maxDepth): void {
    if (this.fieldType === thriftTypes.bool) {
      this.bool();
    } else {
      this.skip(this.fieldType, 0, most);
    }
  }

  /** Skips `length` bytes. @returns position of the first skipped byte */
  protected take(length: number): number {
    const start = this.position;
    if (length > this.end - start) {
      throw this.truncated(length);
    }
    this.position = start + length;
    return start;
  }

  /** @throws WireError WIRE_TRUNCATED when `count` elements of at least `bytesEach` bytes exceed the remaining bytes */
  protected checkCount(count: number, bytesEach: number): void {
    if (count * bytesEach > this.end - this.position) {
      throw this.truncated(count * bytesEach);
    }
  }

  protected truncated(wanted: number): WireError {
    return new WireError(
      "WIRE_TRUNCATED",
      `${wanted} bytes wanted at offset ${this.position}, ${this.end - this.position} left`,
    );
  }
}
