import { JsonMembers } from "../json/json-members.ts";
import { jsonPathOf } from "../json/json-path.ts";
import { JsonTape } from "../json/json-tape.ts";
import { JsonValues } from "../json/json-values.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import { SpanMends } from "../rows/span-mends.ts";
import { JsonAttributeTranscoder } from "./json-attribute-transcoder.ts";
import { JsonMends } from "./json-mends.ts";
import { JsonSpanTranscoder } from "./json-span-transcoder.ts";
import { serviceNameFrom } from "./service-name.ts";

/**
 * Converts OTLP JSON to rows without an object for each span. Ids may be upper-case or lower-case hex; enums may be
 * numbers or names; 64-bit numbers may be strings or numbers, both exact; bytes are base64. Names may be lowerCamelCase
 * or the snake_case of the .proto file. Unknown members are ignored; null means a missing member; if a member is
 * repeated, the last one counts. `instrumentationLibrarySpans` of senders before OTLP 0.15 are read if the resource has
 * no `scopeSpans`. An invalid span is rejected without affecting the other spans. An optional part of a wrong type is
 * dropped with a warning.
 *
 * A transcoder handles one request at a time and reuses its buffers. Source: opentelemetry-proto
 * docs/specification.md, "JSON Protobuf Encoding"; RFC 8259.
 */
export class OtlpJsonTranscoder implements MessageTranscoder {
  readonly #tape = new JsonTape();
  readonly #values = new JsonValues(this.#tape);
  readonly #mends = new JsonMends(this.#tape, this.#values);
  readonly #attributes = new JsonAttributeTranscoder(this.#tape, this.#values, this.#mends);
  readonly #request = new JsonMembers(this.#tape, ["resourceSpans"]);
  readonly #resourceSpans = new JsonMembers(this.#tape, [
    "resource",
    "scopeSpans",
    "schemaUrl",
    "instrumentationLibrarySpans",
  ]);
  readonly #resource = new JsonMembers(this.#tape, ["attributes", "droppedAttributesCount"]);
  readonly #scopeSpans = new JsonMembers(this.#tape, [
    "scope",
    "spans",
    "schemaUrl",
    "instrumentationLibrary",
  ]);
  readonly #scope = new JsonMembers(this.#tape, ["name", "version", "attributes", "droppedAttributesCount"]);
  readonly #out: ByteWriter;
  readonly #prefixes: RowPrefixes;
  /** Columns of the current resource and scope. A row starts with them, or with a mark that stands for them. */
  readonly #prefix: ByteWriter;
  readonly #prefixAttributes: AttributeWriter;
  readonly #spans: JsonSpanTranscoder;
  #rejected = new RejectedSpans();
  #count = 0;
  /** True when a row with the present prefix was written. */
  #isPrefixWritten = false;
  /** Warnings about the current resource; the next list is for the current scope. */
  readonly #resourceWarnings = new SpanMends();
  readonly #scopeWarnings = new SpanMends();
  /** Warnings of both lists; each span of the group gets them. */
  #prefixWarnings: readonly string[] = [];

  constructor(options: TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
    this.#prefix = new ByteWriter(options.maxRowsBytes);
    this.#prefixAttributes = new AttributeWriter(this.#prefix);
    const parts = { values: this.#values, attributes: this.#attributes, mends: this.#mends };
    this.#spans = new JsonSpanTranscoder(this.#tape, parts, this.#out);
  }

  /**
   * @param request an `ExportTraceServiceRequest` or `TracesData` as JSON; bytes that are not UTF-8 become
   *   U+FFFD; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError for an invalid request; then no span of the request is kept. WIRE_MALFORMED, with a path, for a
   *   request that is not JSON, or in which no span is readable. WIRE_TOO_DEEP past 10,000 levels; WIRE_TOO_LARGE past
   *   2,000,000 values
   */
  transcode(request: Uint8Array, tenant = ""): TranscodeResult {
    const tape = this.#tape;
    this.#out.clear();
    this.#prefixes.begin();
    this.#count = 0;
    this.#rejected = new RejectedSpans();
    tape.read(request);
    this.#request.read(0);
    const list = this.#request.tokens[0] as number;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      try {
        this.#writeResourceSpans(item, tenant);
      } catch (error) {
        this.#addRejected("", item, error);
      }
      item = tape.after(item);
    }
    this.#rejected.refuseUnreadable(this.#count);
    return {
      rows: { bytes: this.#out.bytes, count: this.#count, plainBytes: this.#prefixes.plainBytes },
      rejectedSpans: this.#rejected.count,
      errorMessage: this.#rejected.errorMessage,
    };
  }

  /** Writes the rows of one element of `resourceSpans`. */
  #writeResourceSpans(token: number, tenant: string): void {
    const tape = this.#tape;
    this.#resourceSpans.read(token);
    const [resource = -1, scopes = -1, schemaUrl = -1, libraries = -1] = this.#resourceSpans.tokens;
    const list = this.#values.itemCount(scopes) > 0 ? scopes : libraries;
    this.#prefix.clear();
    this.#resourceWarnings.clear();
    this.#mends.into(this.#resourceWarnings);
    let problem: unknown;
    try {
      this.#writeResource(resource, schemaUrl, tenant);
    } catch (error) {
      problem = error;
    }
    const { count: rejectedBefore } = this.#rejected;
    const resourceEnd = this.#prefix.length;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#prefix.length = resourceEnd;
      try {
        this.#writeScopeSpans(item, problem);
      } catch (error) {
        this.#addRejected("", item, error);
      }
      item = tape.after(item);
    }
    // If no span was rejected for this reason, the whole element of `resourceSpans` is.
    if (problem !== undefined && this.#rejected.count === rejectedBefore) {
      throw problem;
    }
  }

  /**
   * @param resourceProblem the reason why the resource is unreadable, for which all its spans are rejected; undefined:
   * no reason
   */
  #writeScopeSpans(token: number, resourceProblem: unknown): void {
    const tape = this.#tape;
    this.#scopeSpans.read(token);
    const [scope = -1, list = -1, schemaUrl = -1, library = -1] = this.#scopeSpans.tokens;
    const { count: rejectedBefore } = this.#rejected;
    let problem = resourceProblem;
    this.#scopeWarnings.clear();
    this.#mends.into(this.#scopeWarnings);
    try {
      this.#writeScope(scope === -1 ? library : scope, schemaUrl);
    } catch (error) {
      problem ??= error;
    }
    this.#prefixWarnings = [...this.#resourceWarnings.list, ...this.#scopeWarnings.list];
    this.#isPrefixWritten = false;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      if (problem === undefined) {
        this.#writeSpan(item);
      } else {
        this.#addRejected("", item, problem);
      }
      item = tape.after(item);
    }
    if (problem !== undefined && this.#rejected.count === rejectedBefore) {
      throw problem;
    }
  }

  /** Writes a row. If the span is invalid, the row is removed, and the span counts as rejected. */
  #writeSpan(token: number): void {
    const rowAt = this.#out.length;
    try {
      const problem = this.#spans.scan(token);
      if (problem !== "") {
        this.#reject(token, problem);
        return;
      }
      if (this.#isPrefixWritten) {
        this.#prefixes.again();
      } else {
        this.#writePrefix();
      }
      this.#spans.write(this.#prefixWarnings);
      this.#count++;
    } catch (error) {
      // The prefix may have been part of the removed row, so the next row must have it.
      this.#prefixes.takeBack(rowAt);
      this.#isPrefixWritten = false;
      this.#reject(token, error);
    }
  }

  #reject(token: number, problem: unknown): void {
    this.#addRejected(this.#spans.name, token, problem);
  }

  #addRejected(name: string, token: number, problem: unknown): void {
    this.#rejected.add(name, () => jsonPathOf(this.#tape, token), problem);
  }

  #writePrefix(): void {
    const start = this.#out.length;
    this.#out.copy(this.#prefix.buffer, 0, this.#prefix.length);
    this.#prefixes.written(start);
    this.#isPrefixWritten = true;
  }

  /** Writes the columns `tenant` to `resource_schema_url`. */
  #writeResource(token: number, schemaUrl: number, tenant: string): void {
    const prefix = this.#prefix;
    const mends = this.#mends;
    mends.read(this.#resource, token);
    const [attributes = -1, dropped = -1] = this.#resource.tokens;
    const list = mends.array(attributes);
    prefix.string(tenant);
    // The format, which is otlp.
    prefix.uint8(0);
    const hasAttributes = this.#values.itemCount(list) > 0;
    prefix.string(serviceNameFrom(hasAttributes, this.#attributes.find(list, "service.name")));
    this.#attributes.list(list, this.#prefixAttributes);
    prefix.uint32(mends.uint32(dropped));
    mends.writeString(schemaUrl, prefix);
  }

  /** Writes the columns `scope_name` to `scope_schema_url`. */
  #writeScope(token: number, schemaUrl: number): void {
    const prefix = this.#prefix;
    const mends = this.#mends;
    mends.read(this.#scope, token);
    const [name = -1, version = -1, attributes = -1, dropped = -1] = this.#scope.tokens;
    mends.writeString(name, prefix);
    mends.writeString(version, prefix);
    this.#attributes.tuples(attributes, this.#prefixAttributes);
    prefix.uint32(mends.uint32(dropped));
    mends.writeString(schemaUrl, prefix);
  }
}
