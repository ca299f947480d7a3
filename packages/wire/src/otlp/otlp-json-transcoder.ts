import { JsonMembers } from "../json/json-members.ts";
import { JsonTape } from "../json/json-tape.ts";
import { JsonValues } from "../json/json-values.ts";
import { jsonPathOf } from "../json/unfit-json.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import { JsonAttributeTranscoder } from "./json-attribute-transcoder.ts";
import { JsonSpanTranscoder } from "./json-span-transcoder.ts";
import { serviceNameFrom } from "./service-name.ts";

/**
 * Converts OTLP JSON to rows without an object for each span. Ids are hex in either case, enums numbers or
 * names, 64-bit numbers strings or numbers (both exact), and bytes base64. Names are lowerCamelCase or the
 * proto's snake_case. Unknown members are ignored, null means absent, and the last of repeated members
 * counts. Spans of senders before OTLP 0.15, in `instrumentationLibrarySpans`, are read where there are no `scopeSpans`. A span
 * that cannot be kept is rejected alone.
 *
 * A transcoder handles one request at a time and reuses its buffers. Source: opentelemetry-proto
 * docs/specification.md, "JSON Protobuf Encoding"; RFC 8259.
 */
export class OtlpJsonTranscoder implements MessageTranscoder {
  readonly #tape = new JsonTape();
  readonly #values = new JsonValues(this.#tape);
  readonly #attributes = new JsonAttributeTranscoder(this.#tape, this.#values);
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
  /** Columns of the present resource and scope, with which every row begins. */
  readonly #prefix: ByteWriter;
  readonly #prefixAttributes: AttributeWriter;
  readonly #spans: JsonSpanTranscoder;
  #rejected = new RejectedSpans();
  #count = 0;
  /** True when a row has begun with the present prefix. */
  #isPrefixWritten = false;
  /** True when values of the present resource or scope were cut, because they are nested too deep. */
  #isPrefixCut = false;

  constructor(options: TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
    this.#prefix = new ByteWriter(options.maxRowsBytes);
    this.#prefixAttributes = new AttributeWriter(this.#prefix);
    this.#spans = new JsonSpanTranscoder(this.#tape, this.#values, this.#attributes, this.#out);
  }

  /**
   * @param request an `ExportTraceServiceRequest` or `TracesData` as JSON; bytes that are not UTF-8 become
   *   U+FFFD; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError, and then nothing of the request is kept. WIRE_MALFORMED, with a path, when it is not
   *   JSON, when a member around the spans has a wrong type, or when no span can be read. WIRE_TOO_DEEP past
   *   10,000 levels; WIRE_TOO_LARGE past 2,000,000 values
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
      this.#writeResourceSpans(item, tenant);
      item = tape.after(item);
    }
    this.#rejected.refuseUnreadable(this.#count);
    return {
      rows: { bytes: this.#out.bytes, count: this.#count, plainBytes: this.#prefixes.plainBytes },
      rejectedSpans: this.#rejected.count,
      errorMessage: this.#rejected.errorMessage,
    };
  }

  #writeResourceSpans(token: number, tenant: string): void {
    const tape = this.#tape;
    this.#resourceSpans.read(token);
    const [resource = -1, scopes = -1, schemaUrl = -1, libraries = -1] = this.#resourceSpans.tokens;
    const list = this.#values.itemCount(scopes) > 0 ? scopes : libraries;
    this.#prefix.clear();
    this.#attributes.cutValues = 0;
    let problem: unknown;
    try {
      this.#writeResource(resource, schemaUrl, tenant);
    } catch (error) {
      problem = error;
    }
    const { count: rejectedBefore } = this.#rejected;
    const isCut = this.#attributes.cutValues > 0;
    const resourceEnd = this.#prefix.length;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#prefix.length = resourceEnd;
      this.#isPrefixCut = isCut;
      this.#writeScopeSpans(item, problem);
      item = tape.after(item);
    }
    // When no span could be rejected for it, the message itself is broken.
    if (problem !== undefined && this.#rejected.count === rejectedBefore) {
      throw problem;
    }
  }

  /** @param resourceProblem why its resource cannot be read: its spans are rejected then */
  #writeScopeSpans(token: number, resourceProblem: unknown): void {
    const tape = this.#tape;
    this.#scopeSpans.read(token);
    const [scope = -1, list = -1, schemaUrl = -1, library = -1] = this.#scopeSpans.tokens;
    const { count: rejectedBefore } = this.#rejected;
    let problem = resourceProblem;
    this.#attributes.cutValues = 0;
    try {
      this.#writeScope(scope === -1 ? library : scope, schemaUrl);
    } catch (error) {
      problem ??= error;
    }
    if (this.#attributes.cutValues > 0) {
      this.#isPrefixCut = true;
    }
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
      this.#spans.write(this.#isPrefixCut);
      this.#count++;
    } catch (error) {
      // The next row gets its prefix again, because the prefix may have been removed with this row.
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
    let attributes = -1;
    let dropped = -1;
    if (token !== -1) {
      this.#resource.read(token);
      [attributes = -1, dropped = -1] = this.#resource.tokens;
    }
    prefix.string(tenant);
    // Format otlp.
    prefix.uint8(0);
    const hasAttributes = this.#values.itemCount(attributes) > 0;
    prefix.string(serviceNameFrom(hasAttributes, this.#attributes.find(attributes, "service.name")));
    this.#attributes.list(attributes, this.#prefixAttributes);
    prefix.uint32(this.#values.uint32(dropped));
    this.#values.writeString(schemaUrl, prefix);
  }

  /** Writes the columns `scope_name` to `scope_schema_url`. */
  #writeScope(token: number, schemaUrl: number): void {
    const prefix = this.#prefix;
    const values = this.#values;
    if (token === -1) {
      this.#scope.tokens.fill(-1);
    } else {
      this.#scope.read(token);
    }
    const [name = -1, version = -1, attributes = -1, dropped = -1] = this.#scope.tokens;
    values.writeString(name, prefix);
    values.writeString(version, prefix);
    this.#attributes.tuples(attributes, this.#prefixAttributes);
    prefix.uint32(values.uint32(dropped));
    values.writeString(schemaUrl, prefix);
  }
}
