import { JsonMembers } from "../json/json-members.ts";
import { JsonTape } from "../json/json-tape.ts";
import { JsonValues } from "../json/json-values.ts";
import { maxAttributeDepth } from "../model/attribute.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import { ByteWriter } from "../rows/byte-writer.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { RowPrefixes } from "../rows/row-prefixes.ts";
import { JsonAttributeTranscoder } from "./json-attribute-transcoder.ts";
import { JsonSpanTranscoder } from "./json-span-transcoder.ts";
import { serviceNameFrom } from "./service-name.ts";

/** A span's value stands 12 levels deep; a kvlist in a kvlist adds four levels. */
const maxJsonDepth = 16 + 4 * maxAttributeDepth;

/**
 * Turns OTLP JSON into rows without an object per span. Ids are hex in either case, enums numbers or names, 64-bit
 * numbers strings or numbers (exact in both cases), bytes base64; names are lowerCamelCase or the proto's snake_case;
 * unknown members are ignored, null is absent, of a member given twice the last counts.
 *
 * One transcoder handles one request at a time and keeps its buffers for the next.
 * Source: opentelemetry-proto docs/specification.md, "JSON Protobuf Encoding"; RFC 8259.
 */
export class OtlpJsonTranscoder implements MessageTranscoder {
  readonly #tape = new JsonTape(maxJsonDepth);
  readonly #values = new JsonValues(this.#tape);
  readonly #attributes = new JsonAttributeTranscoder(this.#tape, this.#values);
  readonly #request = new JsonMembers(this.#tape, ["resourceSpans"]);
  readonly #resourceSpans = new JsonMembers(this.#tape, ["resource", "scopeSpans", "schemaUrl"]);
  readonly #resource = new JsonMembers(this.#tape, ["attributes", "droppedAttributesCount"]);
  readonly #scopeSpans = new JsonMembers(this.#tape, ["scope", "spans", "schemaUrl"]);
  readonly #scope = new JsonMembers(this.#tape, ["name", "version", "attributes", "droppedAttributesCount"]);
  readonly #out: ByteWriter;
  readonly #prefixes: RowPrefixes;
  /** Columns of the resource and scope at hand, which every row starts with. */
  readonly #prefix: ByteWriter;
  readonly #prefixAttributes: AttributeWriter;
  readonly #spans: JsonSpanTranscoder;
  #rejected = new RejectedSpans();
  #count = 0;
  /** Whether rows have begun with the prefix at hand. */
  #isPrefixWritten = false;

  constructor(options: TranscoderOptions = {}) {
    this.#out = new ByteWriter(options.maxRowsBytes);
    this.#prefixes = new RowPrefixes(this.#out, options.maxRowsBytes);
    this.#prefix = new ByteWriter(options.maxRowsBytes);
    this.#prefixAttributes = new AttributeWriter(this.#prefix);
    this.#spans = new JsonSpanTranscoder(this.#tape, this.#values, this.#attributes, this.#out);
  }

  /**
   * @param request an `ExportTraceServiceRequest` or `TracesData` as JSON in UTF-8; the caller limits its size
   * @param tenant whose spans they are; "" where tenancy is off
   * @throws WireError and nothing is kept of the request: WIRE_MALFORMED when it is not JSON or a member does not fit,
   *   with the member's path; WIRE_BAD_ID for an id of a wrong length; WIRE_TOO_DEEP for values nested past
   *   `maxAttributeDepth`; WIRE_TOO_LARGE past `maxRowsBytes` or 2,000,000 values
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
    return {
      rows: { bytes: this.#out.bytes, count: this.#count, plainBytes: this.#prefixes.plainBytes },
      rejectedSpans: this.#rejected.count,
      errorMessage: this.#rejected.errorMessage,
    };
  }

  #writeResourceSpans(token: number, tenant: string): void {
    const tape = this.#tape;
    this.#resourceSpans.read(token);
    const [resource = -1, list = -1, schemaUrl = -1] = this.#resourceSpans.tokens;
    this.#prefix.clear();
    this.#writeResource(resource, schemaUrl, tenant);
    const resourceEnd = this.#prefix.length;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#prefix.length = resourceEnd;
      this.#writeScopeSpans(item);
      item = tape.after(item);
    }
  }

  #writeScopeSpans(token: number): void {
    const tape = this.#tape;
    this.#scopeSpans.read(token);
    const [scope = -1, list = -1, schemaUrl = -1] = this.#scopeSpans.tokens;
    this.#writeScope(scope, schemaUrl);
    this.#isPrefixWritten = false;
    let item = list + 1;
    for (let left = this.#values.itemCount(list); left > 0; left--) {
      this.#writeSpan(item);
      item = tape.after(item);
    }
  }

  #writeSpan(token: number): void {
    const out = this.#out;
    const problem = this.#spans.scan(token);
    if (problem === "") {
      if (this.#isPrefixWritten) this.#prefixes.again();
      else this.#writePrefix();
      this.#spans.write();
      this.#count++;
    } else {
      // Written to see that it is well formed, then taken back; without the prefix, whose size is the sender's choice.
      const rowStart = out.length;
      this.#spans.write();
      out.length = rowStart;
      this.#rejected.add(this.#spans.name, problem);
    }
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
    if (token === -1) this.#scope.tokens.fill(-1);
    else this.#scope.read(token);
    const [name = -1, version = -1, attributes = -1, dropped = -1] = this.#scope.tokens;
    values.writeString(name, prefix);
    values.writeString(version, prefix);
    this.#attributes.tuples(attributes, this.#prefixAttributes);
    prefix.uint32(values.uint32(dropped));
    values.writeString(schemaUrl, prefix);
  }
}
