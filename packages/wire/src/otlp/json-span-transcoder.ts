import { WireError } from "../errors.ts";
import { JsonMembers } from "../json/json-members.ts";
import type { JsonTape } from "../json/json-tape.ts";
import type { JsonValues } from "../json/json-values.ts";
import { spanKinds, statusCodes } from "../model/span.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { SpanMends } from "../rows/span-mends.ts";
import type { JsonAttributeTranscoder } from "./json-attribute-transcoder.ts";
import type { JsonMends } from "./json-mends.ts";

const quote = 0x22;

/** Members of a span. `write` reads tokens by their index in this list: `tokens[5]` is the name. */
const spanNames = [
  "traceId",
  "spanId",
  "parentSpanId",
  "traceState",
  "flags",
  "name",
  "kind",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "status",
  "attributes",
  "droppedAttributesCount",
  "events",
  "droppedEventsCount",
  "links",
  "droppedLinksCount",
] as const;

/** Readers for one tape. */
export interface JsonParts {
  readonly values: JsonValues;
  readonly attributes: JsonAttributeTranscoder;
  readonly mends: JsonMends;
}

/**
 * Converts spans of OTLP JSON to the columns `trace_id` to `warnings`. It mends the same faults as `SpanTranscoder`.
 * Status, attributes, events and links of a wrong type, and parts of them, are dropped with a warning.
 */
export class JsonSpanTranscoder {
  readonly #tape: JsonTape;
  readonly #values: JsonValues;
  readonly #attributes: JsonAttributeTranscoder;
  readonly #out: ByteWriter;
  readonly #writer: AttributeWriter;
  readonly #span: JsonMembers;
  readonly #status: JsonMembers;
  readonly #event: JsonMembers;
  readonly #link: JsonMembers;
  readonly #warnings = new SpanMends();
  readonly #mends: JsonMends;

  /** @param parts the values, attributes and mends of the tape */
  constructor(tape: JsonTape, parts: JsonParts, out: ByteWriter) {
    this.#tape = tape;
    this.#values = parts.values;
    this.#attributes = parts.attributes;
    this.#mends = parts.mends;
    this.#out = out;
    this.#writer = new AttributeWriter(out);
    this.#span = new JsonMembers(tape, spanNames);
    this.#status = new JsonMembers(tape, ["code", "message"]);
    this.#event = new JsonMembers(tape, ["timeUnixNano", "name", "attributes", "droppedAttributesCount"]);
    this.#link = new JsonMembers(tape, [
      "traceId",
      "spanId",
      "traceState",
      "attributes",
      "droppedAttributesCount",
      "flags",
    ]);
  }

  /**
   * Finds the members of a span.
   * @returns "", or the reason to reject the span ("empty trace id")
   * @throws WireError WIRE_MALFORMED for a token that is no object, and for an id that is no string
   */
  scan(token: number): string {
    this.#warnings.clear();
    this.#mends.into(this.#warnings);
    this.#span.tokens.fill(-1);
    this.#span.read(token);
    const [traceId = -1, spanId = -1] = this.#span.tokens;
    if (this.#values.isEmptyId(traceId)) {
      return "empty trace id";
    }
    if (this.#values.isEmptyId(spanId)) {
      return "empty span id";
    }
    return "";
  }

  /** Name of the span that was scanned last; "" when it has no readable name. */
  get name(): string {
    const token = this.#span.tokens[spanNames.indexOf("name")] as number;
    return token === -1 || this.#tape.kind(token) !== quote ? "" : this.#values.string(token);
  }

  /**
   * Writes the columns of the span that was scanned last.
   * @param prefixWarnings warnings about dropped or cut parts of the span's resource and scope
   * @throws WireError WIRE_MALFORMED, WIRE_BAD_ID
   */
  write(prefixWarnings: readonly string[]): void {
    const values = this.#values;
    const out = this.#out;
    const { tokens } = this.#span;
    this.#writeTraceId(tokens[0] as number);
    values.writeId(tokens[1] as number, 8, out);
    this.#writeLooseId(tokens[2] as number, 8, "parent span id");
    this.#mends.writeString(tokens[3] as number, out);
    out.uint32(this.#mends.uint32(tokens[4] as number));
    values.writeString(tokens[5] as number, out);
    out.uint8(values.enumNumber(tokens[6] as number, "SPAN_KIND_", spanKinds));
    this.#times(tokens[7] as number, tokens[8] as number);
    this.#writeStatus(tokens[9] as number);
    this.#attributes.list(tokens[10] as number, this.#writer);
    out.uint32(this.#mends.uint32(tokens[11] as number));
    this.#events(tokens[12] as number);
    out.uint32(this.#mends.uint32(tokens[13] as number));
    this.#links(tokens[14] as number);
    out.uint32(this.#mends.uint32(tokens[15] as number));
    this.#warnings.addAll(prefixWarnings);
    out.uint8(this.#warnings.count);
    if (this.#warnings.count > 0) {
      this.#warnings.write(out);
    }
  }

  /** Senders with 64-bit ids send only the low half of a trace id. */
  #writeTraceId(token: number): void {
    const isShort = this.#values.idLength(token) === 16;
    if (isShort) {
      this.#out.zeros(8);
      this.#warnings.add("trace id has 8 bytes, not 16: taken as its low half");
    }
    this.#values.writeId(token, isShort ? 8 : 16, this.#out);
  }

  /** Writes an optional id; an unreadable id becomes zeros. */
  #writeLooseId(token: number, byteCount: number, what: string): void {
    try {
      this.#values.writeId(token, byteCount, this.#out);
    } catch (error) {
      if (!(error instanceof WireError) || error.code === "WIRE_TOO_LARGE") {
        throw error;
      }
      this.#out.zeros(byteCount);
      this.#warnings.add(`${what} was dropped: ${error.message}`);
    }
  }

  /**
   * Writes start and duration. JSON has the end instead of the duration, so the start is subtracted from it, in two
   * halves of 32 bits.
   */
  #times(start: number, end: number): void {
    const values = this.#values;
    const out = this.#out;
    values.uint64(start);
    const startLow = values.low >>> 0;
    const startHigh = values.high;
    values.uint64(end);
    const endLow = values.low >>> 0;
    out.uint32(startLow);
    out.uint32(startHigh);
    out.uint32(endLow - startLow);
    out.uint32(values.high - startHigh - (endLow < startLow ? 1 : 0));
  }

  /** Columns `status` and `status_message`; an absent status is unset. */
  #writeStatus(token: number): void {
    this.#mends.read(this.#status, token);
    const { tokens } = this.#status;
    this.#out.uint8(this.#mends.enumNumber(tokens[0] as number, "STATUS_CODE_", statusCodes));
    this.#mends.writeString(tokens[1] as number, this.#out);
  }

  /** Writes the column `events`. An element of a wrong type becomes an empty event, with a warning. */
  #events(token: number): void {
    const mends = this.#mends;
    const list = mends.array(token);
    const values = this.#values;
    const out = this.#out;
    const { tokens } = this.#event;
    let left = values.itemCount(list);
    out.varint(left);
    for (let item = list + 1; left > 0; left--) {
      this.#mends.read(this.#event, item);
      mends.uint64(tokens[0] as number);
      out.uint32(values.low);
      out.uint32(values.high);
      mends.writeString(tokens[1] as number, out);
      this.#attributes.tuples(tokens[2] as number, this.#writer);
      out.uint32(mends.uint32(tokens[3] as number));
      item = this.#tape.after(item);
    }
  }

  /** Writes the column `links`. An unreadable id becomes zeros, with a warning. */
  #links(token: number): void {
    const mends = this.#mends;
    const list = mends.array(token);
    const out = this.#out;
    const { tokens } = this.#link;
    let left = this.#values.itemCount(list);
    out.varint(left);
    for (let item = list + 1; left > 0; left--) {
      this.#mends.read(this.#link, item);
      this.#writeLooseId(tokens[0] as number, 16, "trace id of a link");
      this.#writeLooseId(tokens[1] as number, 8, "span id of a link");
      mends.writeString(tokens[2] as number, out);
      this.#attributes.tuples(tokens[3] as number, this.#writer);
      out.uint32(mends.uint32(tokens[4] as number));
      out.uint32(mends.uint32(tokens[5] as number));
      // An OTLP link has no reference type.
      out.uint8(0);
      item = this.#tape.after(item);
    }
  }
}
