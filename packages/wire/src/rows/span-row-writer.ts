import type { Attribute } from "../model/attribute.ts";
import {
  type Resource,
  refTypes,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanFormat,
  type SpanLink,
  spanFormats,
  spanKinds,
  statusCodes,
} from "../model/span.ts";
import { AttributeWriter } from "./attribute-writer.ts";
import { ByteWriter } from "./byte-writer.ts";
import { RowPrefixes } from "./row-prefixes.ts";
import type { SpanRows } from "./span-rows.ts";

/**
 * Writes spans of the domain model as rows, in the order of `spanColumns`. Resource and scope are encoded again only if
 * they are other objects than in the previous span. Decoders should therefore use the same objects for the spans of a
 * batch.
 */
export class SpanRowWriter {
  readonly #out: ByteWriter;
  readonly #prefixes: RowPrefixes;
  #count = 0;
  #resource: Resource | undefined;
  #scope: Scope | undefined;
  #format: SpanFormat | undefined;
  #tenant = "";

  /**
   * @param options.maxRowsBytes limit of bytes between two calls of `take`, where each row counts with its full prefix;
   * default: 256 MiB
   */
  constructor(options: { readonly maxRowsBytes?: number } = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
  }

  /**
   * Adds a row. If it throws, earlier rows stay valid, and the bytes of this span are removed.
   * @param tenant owner of the span; "" when tenancy is off
   * @throws WireError WIRE_TOO_LARGE above `maxRowsBytes`; WIRE_TOO_DEEP for an attribute deeper than
   * `maxAttributeDepth`; WIRE_BAD_ID for an id with wrong characters or a wrong length
   */
  append(span: Span, tenant = ""): void {
    if (this.#count === 0) {
      this.#out.clear();
      this.#prefixes.begin();
    }
    const start = this.#out.length;
    try {
      this.#appendPrefix(span, tenant);
      writeSpan(this.#out, span);
    } catch (error) {
      this.#prefixes.takeBack(start);
      this.#resource = undefined;
      throw error;
    }
    this.#count++;
  }

  /** The rows since the last `take`. The next `append` overwrites their bytes. */
  take(): SpanRows {
    const rows =
      this.#count === 0
        ? { bytes: new Uint8Array(0), count: 0 }
        : { bytes: this.#out.bytes, count: this.#count, plainBytes: this.#prefixes.plainBytes };
    this.#count = 0;
    this.#resource = undefined;
    this.#scope = undefined;
    return rows;
  }

  #appendPrefix(span: Span, tenant: string): void {
    const { resource, scope, format } = span;
    const out = this.#out;
    const start = out.length;
    if (
      resource === this.#resource &&
      scope === this.#scope &&
      format === this.#format &&
      tenant === this.#tenant
    ) {
      this.#prefixes.again();
    } else {
      writeResource(out, tenant, format, resource);
      writeScope(out, scope);
      this.#resource = resource;
      this.#scope = scope;
      this.#format = format;
      this.#tenant = tenant;
      this.#prefixes.written(start);
    }
  }
}

/** Columns `tenant` to `resource_schema_url`. */
export function writeResource(out: ByteWriter, tenant: string, format: SpanFormat, resource: Resource): void {
  out.string(tenant);
  out.uint8(spanFormats.indexOf(format));
  out.string(resource.serviceName);
  writeAttributeList(out, resource.attributes);
  out.uint32(resource.droppedAttributesCount);
  out.string(resource.schemaUrl);
}

/** Columns `scope_name` to `scope_schema_url`. */
export function writeScope(out: ByteWriter, scope: Scope): void {
  out.string(scope.name);
  out.string(scope.version);
  writeAttributes(out, scope.attributes);
  out.uint32(scope.droppedAttributesCount);
  out.string(scope.schemaUrl);
}

/** Columns `trace_id` to `warnings`. */
function writeSpan(out: ByteWriter, span: Span): void {
  out.hex(span.traceId, 16);
  out.hex(span.spanId, 8);
  if (span.parentSpanId === "") {
    out.zeros(8);
  } else {
    out.hex(span.parentSpanId, 8);
  }
  out.string(span.traceState);
  out.uint32(span.flags);
  out.string(span.name);
  out.uint8(spanKinds.indexOf(span.kind));
  out.int64(span.startTimeUnixNano);
  out.int64(span.durationNano);
  out.uint8(statusCodes.indexOf(span.status.code));
  out.string(span.status.message);
  writeAttributeList(out, span.attributes);
  out.uint32(span.droppedAttributesCount);
  out.varint(span.events.length);
  for (const event of span.events) {
    writeEvent(out, event);
  }
  out.uint32(span.droppedEventsCount);
  out.varint(span.links.length);
  for (const link of span.links) {
    writeLink(out, link);
  }
  out.uint32(span.droppedLinksCount);
  out.varint(span.warnings.length);
  for (const warning of span.warnings) {
    out.string(warning);
  }
}

function writeEvent(out: ByteWriter, event: SpanEvent): void {
  out.int64(event.timeUnixNano);
  out.string(event.name);
  writeAttributes(out, event.attributes);
  out.uint32(event.droppedAttributesCount);
}

/** Writes one element of the column `links`. */
export function writeLink(out: ByteWriter, link: SpanLink): void {
  out.hex(link.traceId, 16);
  out.hex(link.spanId, 8);
  out.string(link.traceState);
  writeAttributes(out, link.attributes);
  out.uint32(link.droppedAttributesCount);
  out.uint32(link.flags);
  out.uint8(refTypes.indexOf(link.refType));
}

/** Writes a column of attributes as one string. */
function writeAttributeList(out: ByteWriter, attributes: readonly Attribute[]): void {
  const writer = new AttributeWriter(out);
  writer.beginList();
  writer.all(attributes);
  writer.end();
}

/** A column or tuple member of attributes that are tuples. */
export function writeAttributes(out: ByteWriter, attributes: readonly Attribute[]): void {
  const writer = new AttributeWriter(out);
  writer.beginTuples(attributes.length);
  writer.all(attributes);
}
