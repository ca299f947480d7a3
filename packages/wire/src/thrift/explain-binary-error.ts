import { Batch } from "../gen/thrift/tracing.ts";
import { binaryTypeOf, binaryTypes } from "./binary-types.ts";
import type { ThriftField, ThriftStruct } from "./thrift-descriptors.ts";

/** Type numbers of the binary protocol. */
const types = { stop: 0, ...binaryTypes } as const;

/** Types whose values always have the same size, in bytes. */
const widths: ReadonlyMap<number, number> = new Map([
  [types.i16, 2],
  [types.i32, 4],
  [types.i64, 8],
  [types.double, 8],
  [types.uuid, 16],
]);

/** Limits of Apache's reader for Go: levels of skipped values, and size of one string. */
const maxDepth = 64;
const maxSize = 100 * 1024 * 1024;
/** Jaeger reads strings up to this size differently, and so reports a different error. */
const scratchBytes = 64;

/**
 * Jaeger's error text for a struct `Batch` in the binary protocol, if Jaeger refuses it. Clients
 * and their tests depend on these texts: `*tracing.Batch field 0 read error: EOF`. This code is slower than the reader,
 * and is used only after the reader has refused the bytes.
 * @returns undefined when Jaeger would accept the bytes
 *
 * Source: Jaeger 1.62, generated code of jaeger.thrift; apache/thrift 0.21, lib/go
 */
export function explainBinaryError(bytes: Buffer): string | undefined {
  try {
    new Explainer(bytes).struct(batchPlan);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) {
      return error.message;
    }
    throw error;
  }
}

interface PlannedField {
  /** The name in Jaeger's code. */
  readonly name: string;
  readonly type: number;
  readonly isBinary: boolean;
  /** Declaration of the struct in the field, or of the structs in the field's list. */
  readonly inner: Plan | undefined;
}

interface Plan {
  readonly name: string;
  /** Declared fields, with their id as the index. */
  readonly fields: readonly (PlannedField | undefined)[];
  readonly requiredBits: number;
}

function planOf(struct: ThriftStruct): Plan {
  const fields: PlannedField[] = [];
  for (const { id, name, type, isBinary, struct: inner } of Object.values<ThriftField>(struct.fields)) {
    fields[id] = {
      name: `${name[0]?.toUpperCase()}${name.slice(1)}`,
      type: binaryTypeOf(type),
      isBinary: isBinary === true,
      inner: inner === undefined ? undefined : planOf(inner),
    };
  }
  return { name: `*tracing.${struct.name}`, fields, requiredBits: struct.requiredBits };
}

const batchPlan = planOf(Batch);

/** Thrown to end the explanation, and caught in this file. Its message is the text for clients. */
class Refusal extends Error {}

/**
 * Makes the same checks in the same order as Jaeger's generated Go code, because the text depends on the
 * first failed check. The values are not stored.
 */
class Explainer {
  readonly #bytes: Buffer;
  #offset = 0;
  /** Bytes of the last read. They are part of the error for an incomplete field id. */
  readonly #scratch = Buffer.alloc(scratchBytes);
  #fieldId = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads a struct to its end, and then checks that the required fields were present. */
  struct({ name, fields, requiredBits }: Plan): void {
    let missing = requiredBits;
    for (;;) {
      let type = 0;
      try {
        type = this.#fieldType();
      } catch (error) {
        throw within(`${name} field ${this.#fieldId} read error: `, error);
      }
      if (type === types.stop) {
        break;
      }
      const field = fields[this.#fieldId];
      if (field === undefined || field.type !== type) {
        this.#skip(type, maxDepth);
      } else {
        missing &= ~(1 << this.#fieldId);
        this.#field(this.#fieldId, field);
      }
    }
    for (const [id, field] of fields.entries()) {
      if ((missing & (1 << id)) !== 0) {
        throw new Refusal(`Required field ${field?.name} is not set`);
      }
    }
  }

  /** Reads a field of a known type. Each level adds a prefix to the errors of values inside the field. */
  #field(id: number, { type, inner, isBinary }: PlannedField): void {
    if (inner === undefined) {
      try {
        if (isBinary) {
          this.#take(this.#size());
        } else {
          this.#skip(type, maxDepth);
        }
      } catch (error) {
        throw within(`error reading field ${id}: `, error);
      }
    } else {
      const count = type === types.list ? this.#listCount() : 1;
      try {
        for (let left = count; left > 0; left--) {
          this.struct(inner);
        }
      } catch (error) {
        throw within(`${inner.name} error reading struct: `, error);
      }
    }
  }

  /**
   * Reads the id of the next field into `#fieldId`. @returns type of the field; `types.stop` at the end of the struct
   */
  #fieldType(): number {
    this.#fieldId = 0;
    const type = this.#byte();
    if (type !== types.stop) {
      try {
        this.#full(2);
      } finally {
        this.#fieldId = this.#scratch.readInt16BE(0);
      }
    }
    return type;
  }

  /** Skips the value of an unknown field. @param depth number of further levels that the value may have */
  #skip(type: number, depth: number): void {
    if (depth <= 0) {
      throw new Refusal("Depth limit exceeded");
    }
    const width = widths.get(type);
    if (width !== undefined) {
      this.#full(width);
      return;
    }
    switch (type) {
      case types.bool:
      case types.byte:
        this.#byte();
        return;
      case types.string: {
        const size = this.#size();
        if (size > 0 && size < scratchBytes) {
          this.#full(size);
        } else {
          this.#take(size);
        }
        return;
      }
      case types.struct:
        for (let inner = this.#fieldType(); inner !== types.stop; inner = this.#fieldType()) {
          this.#skip(inner, depth - 1);
        }
        return;
      case types.map: {
        const keyType = this.#byte();
        const valueType = this.#byte();
        for (let left = this.#size(); left > 0; left--) {
          this.#skip(keyType, depth - 1);
          this.#skip(valueType, depth - 1);
        }
        return;
      }
      case types.set:
      case types.list: {
        const elementType = this.#byte();
        for (let left = this.#size(); left > 0; left--) {
          this.#skip(elementType, depth - 1);
        }
        return;
      }
      default:
        throw new Refusal(`Unknown data type ${type}`);
    }
  }

  /** Reads the header of a list. Its element type is ignored. */
  #listCount(): number {
    try {
      this.#byte();
      return this.#size();
    } catch (error) {
      throw within("error reading list begin: ", error);
    }
  }

  /** Reads a length or a count. */
  #size(): number {
    this.#full(4);
    const size = this.#scratch.readInt32BE(0);
    if (size < 0) {
      throw new Refusal(`negative size: ${size}`);
    }
    if (size > maxSize) {
      throw new Refusal(`size exceeded max allowed: ${size}`);
    }
    return size;
  }

  /** Reads the next byte. Unlike in `#full`, the error at the end of the bytes never contains "unexpected". */
  #byte(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) {
      throw new Refusal("EOF");
    }
    this.#offset++;
    return byte;
  }

  /**
   * Reads up to `scratchBytes` bytes. The error for missing bytes differs depending on whether there are no bytes or
   * too few.
   */
  #full(count: number): void {
    const left = this.#bytes.length - this.#offset;
    const copied = Math.min(count, left);
    for (let index = 0; index < copied; index++) {
      this.#scratch[index] = this.#bytes[this.#offset + index] as number;
    }
    if (left === 0) {
      throw new Refusal("EOF");
    }
    if (left < count) {
      throw new Refusal("unexpected EOF");
    }
    this.#offset += count;
  }

  /** Skips the bytes of a string. */
  #take(count: number): void {
    if (this.#bytes.length - this.#offset < count) {
      throw new Refusal("EOF");
    }
    this.#offset += count;
  }
}

/** Adds a prefix to a refusal; any other error stays unchanged. */
function within(prefix: string, error: unknown): unknown {
  return error instanceof Refusal ? new Refusal(prefix + error.message) : error;
}
