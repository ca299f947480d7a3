import { WireError } from "../errors.ts";
import { type ThriftField, type ThriftStruct, type ThriftType, thriftTypes } from "./thrift-descriptors.ts";

const typeNames = new Map<number, string>(Object.entries(thriftTypes).map(([name, type]) => [type, name]));

/** Deepest nesting of values that are skipped, since the IDL does not know them; as in Apache's readers. */
const maxDepth = 64;
/**
 * The same in a span that is rejected. Deeper values could overflow the stack before the end of the span is found.
 */
const maxRejectedDepth = 1_000;

/** The error for bytes that no further bytes can mend; bytes that end early are WIRE_TRUNCATED. */
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
  /** The last field's id and type. */
  fieldId = 0;
  fieldType = 0;
  /** Halves of the last 64-bit number, of which only the bits count. */
  low = 0;
  high = 0;
  /** Begin and end of the last string in `bytes`. */
  start = 0;
  stop = 0;
  /** Element type (0 if the protocol does not have the type) and size of the last list or set. */
  elementType = 0;
  count = 0;
  /** Whether lists are read as the IDL declares them, whatever element type their headers name. */
  #readsAsDeclared = false;
  /** Whether a list of structs of this message has a header with another element type. */
  hasOtherElements = false;

  /** Goes to the start of other bytes. */
  open(bytes: Uint8Array): void {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = 0;
    this.end = bytes.length;
  }

  /**
   * Reads the envelope of a message: its method is the last string then.
   * @returns the type of the message
   * @throws WireError WIRE_MALFORMED for another protocol or version
   */
  abstract message(): number;

  /**
   * Reads the header of a struct's next field into `fieldId` and `fieldType`.
   * @param previousId of the field before it, 0 for the first
   * @returns false at the end of the struct
   */
  abstract field(previousId: number): boolean;

  /** The value of the bool field whose header was just read. */
  abstract bool(): boolean;

  /** A number of 32 bits. */
  abstract int32(): number;

  /** Reads a number of 64 bits into `low` and `high`. */
  abstract int64(): void;

  abstract double(): number;

  /** Passes over a string: `start` and `stop` say where it stands. */
  abstract string(): void;

  /** Reads the header of a list or set into `elementType` and `count`, which is never more than the bytes left. */
  abstract list(): void;

  /** Reads the header of a map into `count`. @returns key type * 16 + value type */
  protected abstract map(): number;

  /** Passes over a value of `width` bytes, if all values of the type have the same width. @returns false otherwise */
  protected abstract skipPlain(type: number): boolean;

  /**
   * Whether the last field has the type that the IDL declares. A field of another type is passed over, as generated
   * readers do: another IDL declares it. It costs a span only if the span needs it. The caller names the type that it
   * goes on to read, so that it does not compile when the IDL declares another.
   */
  has<Type extends ThriftType>(type: Type, _field: ThriftField<Type>): boolean {
    if (this.fieldType === type) {
      return true;
    }
    this.skipField();
    return false;
  }

  /**
   * Reads a message in which headers of lists may name other element types than the IDL. Such a list is passed over, as a
   * field of another type is. When that loses spans or bytes, the message is read again as the IDL declares it, and the
   * reading that loses less is taken. The readers of Apache's compiler never look at the element type of a known list.
   * @param read starts at the present position, and forgets what an earlier call has read
   * @param lostOf returns how many spans a reading has rejected
   * @throws WireError of the first reading, when both fail
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

  /** Bytes may follow a message, so they count less than a span. */
  #loss(rejectedSpans: number): number {
    return rejectedSpans * 2 + (this.position === this.end ? 0 : 1);
  }

  /**
   * Reads the header of a list of structs; the last field is a list. An element type that the protocol does not have is
   * taken for structs. A list of another type is passed over.
   * @returns how many structs follow
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
   * The same for the list of spans, without which there is no message.
   * @param name of the list, for the error
   * @throws WireError WIRE_MALFORMED when it holds something else
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
   * Goes to the end of the struct that begins at `start`, in which something was wrong.
   * @param problem what was wrong
   * @param struct its declaration
   * @throws the problem, when the bytes are no struct of Thrift: the place of the next struct is then unknown
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

  /** Passes over a struct; declarations are never nested in themselves. */
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
   * Passes over a value.
   * @param most deepest nesting
   * @throws WireError WIRE_TOO_DEEP past it, WIRE_MALFORMED for an unknown type
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
          // In a field of the compact protocol the type of a bool is its value.
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

  /** Passes over the field whose header was just read. */
  skipField(most = maxDepth): void {
    if (this.fieldType === thriftTypes.bool) {
      this.bool();
    } else {
      this.skip(this.fieldType, 0, most);
    }
  }

  /** @returns where the next `length` bytes begin, having passed over them */
  protected take(length: number): number {
    const start = this.position;
    if (length > this.end - start) {
      throw this.truncated(length);
    }
    this.position = start + length;
    return start;
  }

  /** @throws WireError WIRE_TRUNCATED when `count` elements of at least `bytesEach` cannot be there */
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
