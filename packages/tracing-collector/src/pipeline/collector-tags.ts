import { type AttributeType, attributeTypeCodes } from "wire/model";
import { AttributeWriter, ByteWriter, plainBytesOf, RowScanner, type SpanRows } from "wire/rows";
import type { RowStep } from "./row-step.ts";

/** Sort order of value types, as in Jaeger's `model/keyvalue.go`. */
const orderOfTypes: Readonly<Record<AttributeType, number>> = {
  empty: 0,
  string: 0,
  array: 0,
  kvlist: 0,
  bool: 1,
  int: 2,
  double: 3,
  bytes: 4,
};

/**
 * Appends `--collector.tags` as strings to the resource of every span, unless the resource has the same key
 * and text already. The resource's attributes are then sorted by key, type and value.
 *
 * Rows of one resource are adjacent, so the attributes are computed once and reused for rows with the same prefix.
 *
 * Source: Jaeger 1.62, cmd/collector/app/span_processor.go `addCollectorTags`, model/keyvalue.go
 */
export class CollectorTags implements RowStep {
  /** Tags by key. If several tags have one key, the last one counts. */
  readonly #tags: ReadonlyMap<string, string>;
  readonly #scanner = new RowScanner();
  readonly #out = new ByteWriter();
  /** Attributes of the last resource, before and after the tags were added. */
  #before = Buffer.alloc(0);
  #after: Uint8Array = new Uint8Array(0);

  constructor(tags: readonly (readonly [key: string, value: string])[]) {
    this.#tags = new Map(tags);
  }

  apply(rows: SpanRows): SpanRows {
    const scanner = this.#scanner;
    const out = this.#out;
    scanner.open(rows);
    out.clear();
    const bytes = Buffer.from(rows.bytes.buffer, rows.bytes.byteOffset, rows.bytes.byteLength);
    let copied = 0;
    let plainBytes = plainBytesOf(rows);
    while (scanner.next()) {
      const { resourceAttributesStart: start, resourceAttributesEnd: end } = scanner;
      if (scanner.start !== scanner.prefixStart) {
        plainBytes += this.#after.length - (end - start);
        continue;
      }
      if (!this.#isAsBefore(bytes, start, end)) {
        this.#before = Buffer.from(bytes.subarray(start, end));
        this.#after = this.#withTags(start);
      }
      out.copy(bytes, copied, start);
      out.copy(this.#after, 0, this.#after.length);
      copied = end;
      plainBytes += this.#after.length - (end - start);
    }
    out.copy(bytes, copied, bytes.length);
    return { bytes: out.bytes, count: rows.count, plainBytes };
  }

  #isAsBefore(bytes: Buffer, start: number, end: number): boolean {
    const before = this.#before;
    return before.length === end - start && bytes.compare(before, 0, before.length, start, end) === 0;
  }

  /** @returns the attribute list at `start` with the tags, sorted */
  #withTags(start: number): Uint8Array {
    const attributes = attributesOf(this.#scanner, start);
    const added = new Map(this.#tags);
    for (const { key, text } of attributes) {
      if (added.get(key) === text) {
        added.delete(key);
      }
    }
    for (const [key, text] of added) {
      attributes.push({ key, type: "string", text });
    }
    attributes.sort(compareAttributes);
    const out = new ByteWriter();
    const writer = new AttributeWriter(out);
    writer.beginList();
    for (const { key, type, text } of attributes) {
      writer.key(attributeTypeCodes[type], key);
      writer.value(text);
    }
    writer.end();
    return out.bytes;
  }
}

/** An attribute as it is stored in rows. */
interface AttributeTexts {
  readonly key: string;
  readonly type: AttributeType;
  readonly text: string;
}

function attributesOf(scanner: RowScanner, start: number): AttributeTexts[] {
  const attributes: AttributeTexts[] = [];
  scanner.openAttributes(start);
  while (scanner.nextAttribute()) {
    attributes.push({ key: scanner.keyText, type: scanner.valueType, text: scanner.valueText });
  }
  return attributes;
}

function compareAttributes(a: AttributeTexts, b: AttributeTexts): number {
  return (
    compareText(a.key, b.key) ||
    orderOfTypes[a.type] - orderOfTypes[b.type] ||
    compareValues(a.type, a.text, b.text)
  );
}

function compareValues(type: AttributeType, a: string, b: string): number {
  if (type === "int") {
    return compareNumbers(BigInt(a), BigInt(b));
  }
  if (type === "double") {
    return compareNumbers(Number(a), Number(b));
  }
  return compareText(a, b);
}

/** Compares by UTF-8 bytes; JavaScript compares by UTF-16 units. */
function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareNumbers<T extends bigint | number>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}
