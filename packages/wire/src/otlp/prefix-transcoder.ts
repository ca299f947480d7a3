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
const nothing = new DataView(new ArrayBuffer(0));
/**
 * Size limit of cached columns in bytes. A column can be longer than its field, for example because it has bytes as
 * hex.
 */
const longestKeptBytes = 16 * 1024;

/** Maximum numbers of resources and scopes that are cached. Most gateways send fewer in one request. */
const keptResources = 32;
const keptScopes = 64;

/** Columns that all rows of a resource, or all rows of a scope, have in common. */
interface SharedColumns {
  readonly view: DataView;
  /** Name of the resource's service; "" for a scope. */
  readonly service: string;
  /** True when attribute values were cut because they were nested too deeply. */
  readonly isCut: boolean;
}

/**
 * Writes the prefix of rows: the columns of tenant, resource and scope. Senders repeat these columns in every request,
 * and gateways repeat several, so columns for equal bytes are taken from a cache.
 */
export class PrefixTranscoder {
  /** Columns of the current resource; the columns of the scope follow them in a row. */
  resourceView: DataView = nothing;
  scopeView: DataView = nothing;
  /** Service of the present resource. */
  service = "";
  #isResourceCut = false;
  #isScopeCut = false;
  readonly #cursor: ProtoCursor;
  readonly #resourceWriter: SharedWriter;
  readonly #scopeWriter: SharedWriter;
  /** Fields of a message, with their tags, except the fields with scopes or spans. */
  readonly #fields = new FieldList();
  readonly #attributes = new FieldList();
  readonly #resources = new RepeatedFields<SharedColumns>(keptResources);
  readonly #scopes = new RepeatedFields<SharedColumns>(keptScopes);

  constructor(cursor: ProtoCursor, maxBytes: number | undefined) {
    this.#cursor = cursor;
    this.#resourceWriter = new SharedWriter(cursor, maxBytes);
    this.#scopeWriter = new SharedWriter(cursor, maxBytes);
  }

  /**
   * Finds or writes the columns for the resource of the `ResourceSpans` from the cursor's position to `end`, and moves
   * the cursor.
   * @throws WireError for bytes that are no such message; WIRE_TOO_LARGE above the size limit
   */
  resource(end: number, tenant: string): void {
    this.#findFields(end);
    const { bytes } = this.#cursor;
    const known = this.#resources.find(bytes, this.#fields, tenant) ?? this.#newResource(tenant);
    this.resourceView = known.view;
    this.service = known.service;
    this.#isResourceCut = known.isCut;
  }

  /** Finds or writes the columns for the scope of a `ScopeSpans`, like `resource`. */
  scope(end: number): void {
    this.#findFields(end);
    const { bytes } = this.#cursor;
    const known = this.#scopes.find(bytes, this.#fields, "") ?? this.#newScope();
    this.scopeView = known.view;
    this.#isScopeCut = known.isCut;
  }

  /** True when values of the current resource or scope were cut because they were nested too deeply. */
  get isCut(): boolean {
    return this.#isResourceCut || this.#isScopeCut;
  }

  #newResource(tenant: string): SharedColumns {
    const writer = this.#resourceWriter;
    writer.out.clear();
    this.#cursor.cutValues = 0;
    const service = this.#writeResource(writer, tenant);
    return this.#kept(this.#resources, writer, tenant, service);
  }

  #newScope(): SharedColumns {
    const writer = this.#scopeWriter;
    writer.out.clear();
    this.#cursor.cutValues = 0;
    this.#writeScope(writer);
    return this.#kept(this.#scopes, writer, "", "");
  }

  /** The columns that were just written, which are also cached unless they are too long. */
  #kept(
    among: RepeatedFields<SharedColumns>,
    { out }: SharedWriter,
    owner: string,
    service: string,
  ): SharedColumns {
    const { buffer, length } = out;
    const isCut = this.#cursor.cutValues > 0;
    if (length <= longestKeptBytes) {
      const own = new Uint8Array(buffer.subarray(0, length));
      const columns = { view: new DataView(own.buffer, 0, length), service, isCut };
      if (among.keep(this.#cursor.bytes, this.#fields, owner, columns)) {
        return columns;
      }
    }
    return { view: new DataView(buffer.buffer, buffer.byteOffset, length), service, isCut };
  }

  #findFields(end: number): void {
    const cursor = this.#cursor;
    this.#fields.clear();
    while (cursor.position < end) {
      const start = cursor.position;
      const tag = cursor.tag(end);
      if (tag === 10 || tag === 18 || tag === 26) {
        cursor.position = cursor.fieldEnd(end);
      } else {
        cursor.skip(tag, end, groupFields);
      }
      // Field 2 has the scopes of a resource, and the spans of a scope. Scopes and spans may precede the fields of
      // their resource or scope.
      if (tag !== 18) {
        this.#fields.addPiece(start, cursor.position);
      }
    }
  }

  /**
   * Reads the fields that were found.
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
        if (tag === 10) {
          read(cursor.fieldEnd(end));
        } else if (tag === 26) {
          schemaUrl = cursor.string(end);
        } else {
          cursor.skip(tag, end, 0);
        }
      }
    }
    return schemaUrl;
  }

  /** Writes the columns `tenant` to `resource_schema_url`. @returns name of the service */
  #writeResource({ out, attributes }: SharedWriter, tenant: string): string {
    const cursor = this.#cursor;
    let droppedAttributes = 0;
    const schemaUrl = this.#readFields((end) => {
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) {
          this.#attributes.add(cursor, end);
        } else if (tag === 16) {
          droppedAttributes = cursor.uint32(end);
        } else {
          cursor.skip(tag, end, resourceFields);
        }
      }
    });
    out.string(tenant);
    // The format, which is otlp.
    out.uint8(0);
    const service = this.#serviceName();
    out.string(service);
    attributes.list(this.#attributes);
    out.uint32(droppedAttributes);
    out.string(schemaUrl);
    return service;
  }

  /** Writes the columns `scope_name` to `scope_schema_url`. */
  #writeScope({ out, attributes }: SharedWriter): void {
    const cursor = this.#cursor;
    let name = "";
    let version = "";
    let droppedAttributes = 0;
    const schemaUrl = this.#readFields((end) => {
      while (cursor.position < end) {
        const tag = cursor.tag(end);
        if (tag === 10) {
          name = cursor.string(end);
        } else if (tag === 18) {
          version = cursor.string(end);
        } else if (tag === 26) {
          this.#attributes.add(cursor, end);
        } else if (tag === 32) {
          droppedAttributes = cursor.uint32(end);
        } else {
          cursor.skip(tag, end, scopeFields);
        }
      }
    });
    out.string(name);
    out.string(version);
    attributes.tuples(this.#attributes);
    out.uint32(droppedAttributes);
    out.string(schemaUrl);
  }

  #serviceName(): string {
    const attributes = this.#attributes;
    for (let index = 0; index < attributes.count; index++) {
      const start = attributes.start(index);
      const end = attributes.end(index);
      if (!this.#isServiceName(start, end)) {
        continue;
      }
      this.#cursor.position = start;
      return serviceNameFrom(true, readKeyValue(this.#cursor, end).value);
    }
    return serviceNameFrom(attributes.count > 0, undefined);
  }

  /** True when the key of a `KeyValue` is `service.name`. */
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

/** Buffer for columns before they are cached. */
class SharedWriter {
  readonly out: ByteWriter;
  readonly attributes: AttributeTranscoder;

  constructor(cursor: ProtoCursor, maxBytes: number | undefined) {
    this.out = new ByteWriter(maxBytes);
    this.attributes = new AttributeTranscoder(cursor, this.out);
  }
}
