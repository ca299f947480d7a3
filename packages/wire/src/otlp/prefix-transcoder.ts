import { ByteWriter } from "../rows/byte-writer.ts";
import { keyValueFields, readKeyValue } from "./any-value.ts";
import { AttributeTranscoder } from "./attribute-transcoder.ts";
import { FieldList } from "./field-list.ts";
import { fieldMask, type ProtoCursor } from "./proto-cursor.ts";
import { RepeatedFields } from "./repeated-fields.ts";
import { serviceNameFrom } from "./service-name.ts";

/** Fields of a `ResourceSpans`, and of a `ScopeSpans`. */
const groupFields = fieldMask(1, 2, 3);
const resourceFields = fieldMask(1, 2);
const scopeFields = fieldMask(1, 2, 3, 4);

const serviceNameKey = Buffer.from("service.name");

/**
 * Writes what every row starts with: the columns of its tenant, resource and scope. A sender repeats these in every
 * request: what has the same bytes as the time before is not written again.
 */
export class PrefixTranscoder {
  /** Columns of the resource and scope at hand. */
  readonly out: ByteWriter;
  /** Service of the resource at hand. */
  service = "";
  readonly #cursor: ProtoCursor;
  readonly #attributeTranscoder: AttributeTranscoder;
  /** Fields of a message that are no scopes or spans, with their tags. */
  readonly #fields = new FieldList();
  readonly #attributes = new FieldList();
  readonly #lastResource = new RepeatedFields();
  readonly #lastScope = new RepeatedFields();
  #tenant = "";
  #resourceEnd = 0;

  constructor(cursor: ProtoCursor, maxBytes: number | undefined) {
    this.#cursor = cursor;
    this.out = new ByteWriter(maxBytes);
    this.#attributeTranscoder = new AttributeTranscoder(cursor, this.out);
  }

  /**
   * Writes the columns of the resource of the `ResourceSpans` from the cursor's position to `end`; the cursor stands
   * elsewhere then.
   * @throws WireError for bytes that are no such message; WIRE_TOO_LARGE past the most bytes
   */
  resource(end: number, tenant: string): void {
    this.#findFields(end);
    const { bytes } = this.#cursor;
    if (tenant === this.#tenant && this.#lastResource.matches(bytes, this.#fields)) return;
    this.#lastResource.forget();
    this.#lastScope.forget();
    this.#tenant = tenant;
    this.out.clear();
    this.#writeResource(tenant);
    this.#resourceEnd = this.out.length;
    this.#lastResource.keep(bytes, this.#fields);
  }

  /** The same for the scope of a `ScopeSpans`, behind the resource. */
  scope(end: number): void {
    this.#findFields(end);
    const { bytes } = this.#cursor;
    if (this.#lastScope.matches(bytes, this.#fields)) return;
    this.#lastScope.forget();
    this.out.length = this.#resourceEnd;
    this.#writeScope();
    this.#lastScope.keep(bytes, this.#fields);
  }

  #findFields(end: number): void {
    const cursor = this.#cursor;
    this.#fields.clear();
    while (cursor.position < end) {
      const start = cursor.position;
      const tag = cursor.tag(end);
      if (tag === 10 || tag === 18 || tag === 26) cursor.position = cursor.fieldEnd(end);
      else cursor.skip(tag, end, groupFields);
      // Field 2 holds the scopes of a resource and the spans of a scope; both may stand before what belongs to them.
      if (tag !== 18) this.#fields.addPiece(start, cursor.position);
    }
  }

  /**
   * Reads the fields found.
   * @param read reads one occurrence of the resource or scope, up to `end`
   * @returns the schema URL
   */
  #readFields(read: (end: number) => void): string {
    const cursor = this.#cursor;
    let schemaUrl = "";
    this.#attributes.clear();
    for (let index = 0; index < this.#fields.count; index++) {
      const end = this.#fields.end(index);
      cursor.position = this.#fields.start(index);
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) read(cursor.fieldEnd(end));
        else if (tag === 26) schemaUrl = cursor.string(end);
        else cursor.skip(tag, end, 0);
      }
    }
    return schemaUrl;
  }

  /** Writes the columns `tenant` to `resource_schema_url`. */
  #writeResource(tenant: string): void {
    const cursor = this.#cursor;
    const { out } = this;
    let droppedAttributes = 0;
    const schemaUrl = this.#readFields((end) => {
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) this.#attributes.add(cursor, end);
        else if (tag === 16) droppedAttributes = cursor.uint32(end);
        else cursor.skip(tag, end, resourceFields);
      }
    });
    out.string(tenant);
    // Format otlp.
    out.uint8(0);
    this.service = this.#serviceName();
    out.string(this.service);
    this.#attributeTranscoder.list(this.#attributes);
    out.uint32(droppedAttributes);
    out.string(schemaUrl);
  }

  /** Writes the columns `scope_name` to `scope_schema_url`. */
  #writeScope(): void {
    const cursor = this.#cursor;
    const { out } = this;
    let name = "";
    let version = "";
    let droppedAttributes = 0;
    const schemaUrl = this.#readFields((end) => {
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) name = cursor.string(end);
        else if (tag === 18) version = cursor.string(end);
        else if (tag === 26) this.#attributes.add(cursor, end);
        else if (tag === 32) droppedAttributes = cursor.uint32(end);
        else cursor.skip(tag, end, scopeFields);
      }
    });
    out.string(name);
    out.string(version);
    this.#attributeTranscoder.tuples(this.#attributes);
    out.uint32(droppedAttributes);
    out.string(schemaUrl);
  }

  #serviceName(): string {
    const attributes = this.#attributes;
    for (let index = 0; index < attributes.count; index++) {
      const start = attributes.start(index);
      const end = attributes.end(index);
      if (!this.#isServiceName(start, end)) continue;
      this.#cursor.position = start;
      return serviceNameFrom(true, readKeyValue(this.#cursor, end).value);
    }
    return serviceNameFrom(attributes.count > 0, undefined);
  }

  /** Whether the key of a `KeyValue` is `service.name`. */
  #isServiceName(start: number, end: number): boolean {
    const cursor = this.#cursor;
    let isServiceName = false;
    cursor.position = start;
    while (cursor.position < end) {
      const tag = cursor.tag(end);
      if (tag !== 10 && tag !== 18) {
        cursor.skip(tag, end, keyValueFields);
        continue;
      }
      const stop = cursor.fieldEnd(end);
      if (tag === 10) {
        isServiceName =
          stop - cursor.position === serviceNameKey.length &&
          cursor.bytes.compare(serviceNameKey, 0, serviceNameKey.length, cursor.position, stop) === 0;
      }
      cursor.position = stop;
    }
    return isServiceName;
  }
}
