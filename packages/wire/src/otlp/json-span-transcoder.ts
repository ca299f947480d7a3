import { WireError } from "../errors.ts";
import { JsonMembers } from "../json/json-members.ts";
import type { JsonTape } from "../json/json-tape.ts";
import type { JsonValues } from "../json/json-values.ts";
import { spanKinds, statusCodes } from "../model/span.ts";
import { AttributeWriter } from "../rows/attribute-writer.ts";
import type { ByteWriter } from "../rows/byte-writer.ts";
import { cutValuesWarning, SpanMends } from "../rows/span-mends.ts";
import type { JsonAttributeTranscoder } from "./json-attribute-transcoder.ts";

const quote = 0x22;

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

/**
 * Writes spans of OTLP JSON as the columns `trace_id` to `warnings`. It repairs the same faults as
 * `SpanTranscoder`.
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
  readonly #mends = new SpanMends();

  constructor(tape: JsonTape, values: JsonValues, attributes: JsonAttributeTranscoder, out: ByteWriter) {
    this.#tape = tape;
    this.#values = values;
    this.#attributes = attributes;
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
   * @throws WireError WIRE_MALFORMED when the token is no object or an id no string
   */
  scan(token: number): string {
    this.#mends.clear();
    this.#attributes.cutValues = 0;
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

  /** Name of the span just scanned; "" when it has none that is a text. */
  get name(): string {
    const token = this.#span.tokens[spanNames.indexOf("name")] as number;
    return token === -1 || this.#tape.kind(token) !== quote ? "" : this.#values.string(token);
  }

  /**
   * Writes the columns of the span just scanned.
   * @param hasCutPrefix whether values of its resource or scope were cut
   * @throws WireError WIRE_MALFORMED, WIRE_BAD_ID
   */
  write(hasCutPrefix: boolean): void {
    const values = this.#values;
    const out = this.#out;
    const { tokens } = this.#span;
    this.#writeTraceId(tokens[0] as number);
    values.writeId(tokens[1] as number, 8, out);
    this.#writeLooseId(tokens[2] as number, 8, "parent span id");
    values.writeString(tokens[3] as number, out);
    out.uint32(values.uint32(tokens[4] as number));
    values.writeString(tokens[5] as number, out);
    out.uint8(values.enumNumber(tokens[6] as number, "SPAN_KIND_", spanKinds));
    this.#times(tokens[7] as number, tokens[8] as number);
    this.#writeStatus(tokens[9] as number);
    this.#attributes.list(tokens[10] as number, this.#writer);
    out.uint32(values.uint32(tokens[11] as number));
    this.#events(tokens[12] as number);
    out.uint32(values.uint32(tokens[13] as number));
    this.#links(tokens[14] as number);
    out.uint32(values.uint32(tokens[15] as number));
    if (hasCutPrefix || this.#attributes.cutValues > 0) {
      this.#mends.add(cutValuesWarning);
    }
    out.uint8(this.#mends.count);
    if (this.#mends.count > 0) {
      this.#mends.write(out);
    }
  }

  /** Senders with ids of 64 bits send the low half. */
  #writeTraceId(token: number): void {
    const isShort = this.#values.idLength(token) === 16;
    if (isShort) {
      this.#out.zeros(8);
      this.#mends.add("trace id has 8 bytes, not 16: taken as its low half");
    }
    this.#values.writeId(token, isShort ? 8 : 16, this.#out);
  }

  /** Writes an id without which the span is still useful: an unreadable one becomes zeros. */
  #writeLooseId(token: number, byteCount: number, what: string): void {
    try {
      this.#values.writeId(token, byteCount, this.#out);
    } catch (error) {
      if (!(error instanceof WireError) || error.code === "WIRE_TOO_LARGE") {
        throw error;
      }
      this.#out.zeros(byteCount);
      this.#mends.add(`${what} was dropped: ${error.message}`);
    }
  }

  /** Writes start and duration. */
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

  #writeStatus(token: number): void {
    const out = this.#out;
    if (token === -1) {
      out.uint8(0);
      out.uint8(0);
      return;
    }
    this.#status.read(token);
    const { tokens } = this.#status;
    out.uint8(this.#values.enumNumber(tokens[0] as number, "STATUS_CODE_", statusCodes));
    this.#values.writeString(tokens[1] as number, out);
  }

  #events(list: number): void {
    const values = this.#values;
    const out = this.#out;
    const { tokens } = this.#event;
    let left = values.itemCount(list);
    out.varint(left);
    for (let item = list + 1; left > 0; left--) {
      this.#event.read(item);
      values.uint64(tokens[0] as number);
      out.uint32(values.low);
      out.uint32(values.high);
      values.writeString(tokens[1] as number, out);
      this.#attributes.tuples(tokens[2] as number, this.#writer);
      out.uint32(values.uint32(tokens[3] as number));
      item = this.#tape.after(item);
    }
  }

  #links(list: number): void {
    const values = this.#values;
    const out = this.#out;
    const { tokens } = this.#link;
    let left = values.itemCount(list);
    out.varint(left);
    for (let item = list + 1; left > 0; left--) {
      this.#link.read(item);
      this.#writeLooseId(tokens[0] as number, 16, "trace id of a link");
      this.#writeLooseId(tokens[1] as number, 8, "span id of a link");
      values.writeString(tokens[2] as number, out);
      this.#attributes.tuples(tokens[3] as number, this.#writer);
      out.uint32(values.uint32(tokens[4] as number));
      out.uint32(values.uint32(tokens[5] as number));
      // An OTLP link has no reference type.
      out.uint8(0);
      item = this.#tape.after(item);
    }
  }
}
