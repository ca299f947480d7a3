import { Batch } from "../gen/thrift/tracing.ts";
import { binaryTypeOf, binaryTypes } from "./binary-types.ts";
import type { ThriftField, ThriftStruct } from "./thrift-descriptors.ts";

/** Numbers of types in the binary protocol. */
const types = { stop: 0, ...binaryTypes } as const;

/** Types whose values have always the same number of bytes. */
const widths: ReadonlyMap<number, number> = new Map([
  [types.i16, 2],
  [types.i32, 4],
  [types.i64, 8],
  [types.double, 8],
  [types.uuid, 16],
]);

/** Levels of values that Apache's Go reader skips, and the most bytes that it reads for one string. */
const maxDepth = 64;
const maxSize = 100 * 1024 * 1024;
/** The public model reads shorter strings in another way, which ends in another error. */
const scratchBytes = 64;

/**
 * The public model's error text for a struct `Batch` in the binary protocol that it cannot read; clients and
 * their tests know these texts: `*tracing.Batch field 0 read error: EOF`. The explainer is slower than the reader, and
 * runs only after the reader refused the bytes.
 * @returns undefined when the public model would have read the bytes
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
  /** The name in the public model's code. */
  readonly name: string;
  readonly type: number;
  readonly isBinary: boolean;
  /** The struct that it holds, one or a list. */
  readonly inner: Plan | undefined;
}

interface Plan {
  readonly name: string;
  /** By id. */
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

/** The end of the explanation. Its message is the text that clients get; it is caught in this file. */
class Refusal extends Error {}

/**
 * Reads as the public model's generated Go code does, with its order of checks, because the text depends on the first
 * check that fails. No value is kept.
 */
class Explainer {
  readonly #bytes: Buffer;
  #offset = 0;
  /** The bytes of the last read stay in it, and appear in the error of a field id that is cut off. */
  readonly #scratch = Buffer.alloc(scratchBytes);
  #fieldId = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Reads a struct to its end, and then checks that its required fields came. */
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

  /** Reads a field of a known type. Errors of its parts get a prefix for each level. */
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

  /** Reads a field's header into `#fieldId`. @returns the type; `types.stop` at the end of the struct */
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

  /** Passes over a value of an unknown field. @param depth levels that may still be nested in it */
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

  /** The header of a list; its element type is not looked at. */
  #listCount(): number {
    try {
      this.#byte();
      return this.#size();
    } catch (error) {
      throw within("error reading list begin: ", error);
    }
  }

  /** A length or a count. */
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

  /** The next byte; unlike in `#full`, its absence is never "unexpected". */
  #byte(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) {
      throw new Refusal("EOF");
    }
    this.#offset++;
    return byte;
  }

  /** Reads up to `scratchBytes`; nothing left and too few bytes give different errors. */
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

  /** Passes over the bytes of a string. */
  #take(count: number): void {
    if (this.#bytes.length - this.#offset < count) {
      throw new Refusal("EOF");
    }
    this.#offset += count;
  }
}

/** Puts a prefix in front of a refusal; any other error is handed on. */
function within(prefix: string, error: unknown): unknown {
  return error instanceof Refusal ? new Refusal(prefix + error.message) : error;
}
