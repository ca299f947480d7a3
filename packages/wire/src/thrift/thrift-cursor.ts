import { WireError } from "../errors.ts";
import { type ThriftField, type ThriftType, thriftTypes } from "./thrift-descriptors.ts";

const typeNames = new Map<number, string>(Object.entries(thriftTypes).map(([name, type]) => [type, name]));

/** Deepest nesting of values that are skipped, since the IDL does not know them; as in Apache's readers. */
const maxDepth = 64;
/** The same in a span that is rejected: beyond, it cannot be told where it ends without risking the stack. */
const maxRejectedDepth = 1_000;

/** Wrong and not so that other bytes would do: the caller says which text it gives. */
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
  /** Where the last string stands. */
  start = 0;
  stop = 0;
  /** Element type (0 if the protocol does not have the type) and size of the last list or set. */
  elementType = 0;
  count = 0;

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
   * Whether the last field has the type that the IDL declares. One of another type is passed over, as readers that are
   * generated do: it is a field of another IDL, and costs a span only if the span needs it. The caller names the type that it
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
   * Reads the header of a list of structs; the last field is a list. An element type that the protocol does not have is
   * taken for structs. The readers of Apache's compiler do not look at the type of a known list.
   * @returns how many there are
   * @throws WireError WIRE_MALFORMED when it holds something else
   */
  structs(field: ThriftField<typeof thriftTypes.list>): number {
    this.list();
    if (this.count > 0 && this.elementType !== thriftTypes.struct && typeNames.has(this.elementType)) {
      throw malformed(`${field.label} is a list of ${this.#typeName(this.elementType)}, not of struct`);
    }
    return this.count;
  }

  /**
   * Goes to the end of the struct that begins at `start`, in which something was wrong.
   * @param problem what was wrong
   * @throws the problem, when the bytes are no struct of Thrift, so that nobody knows where the next one begins
   */
  passOverStruct(start: number, problem: unknown): void {
    if (!(problem instanceof WireError)) {
      throw problem;
    }
    this.position = start;
    try {
      this.skip(thriftTypes.struct, 0, maxRejectedDepth);
    } catch {
      throw problem;
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
  skipField(): void {
    if (this.fieldType === thriftTypes.bool) {
      this.bool();
    } else {
      this.skip(this.fieldType);
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

  #typeName(type: number): string {
    return typeNames.get(type) ?? String(type);
  }
}
