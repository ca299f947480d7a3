import { WireError } from "../errors.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { readHexId } from "./hex-id.ts";
import { KeyTable } from "./key-table.ts";
import { type EndpointDraft, SpanDraft } from "./span-draft.ts";
import { SpanDraftWriter } from "./span-draft-writer.ts";
import { ZipkinJsonText } from "./zipkin-json-text.ts";

const quote = 0x22;
const openBrace = 0x7b;
const openBracket = 0x5b;
const nullStart = 0x6e;

// Member names of a span. Upper and lower case are equal, as in Jaeger.
const spanNames = [
  "traceId",
  "id",
  "parentId",
  "name",
  "kind",
  "timestamp",
  "duration",
  "localEndpoint",
  "remoteEndpoint",
  "annotations",
  "tags",
] as const;
const spanTable = new KeyTable(spanNames, { ignoreCase: true });
const endpointTable = new KeyTable(["serviceName", "ipv4", "ipv6", "port"], { ignoreCase: true });
const annotationTable = new KeyTable(["timestamp", "value"], { ignoreCase: true });
/** Kinds in the order of `spanKinds`, from index 2. */
const kindTable = new KeyTable(["SERVER", "CLIENT", "PRODUCER", "CONSUMER"]);

/**
 * Converts Zipkin v2 JSON, a list of spans, to rows, without an object for each span.
 *
 * A trace id has up to 32 hex digits, a span id up to 16, and numbers may be strings. A repeated member or tag replaces
 * the earlier one. Null means absent. Unknown members and kinds are ignored. A tag of another type becomes the text of
 * its JSON, and an empty list counts as an empty object. Times lose fractions of a microsecond. These faulty values are
 * dropped, and the span gets a warning: a parent id, a duration, an address, a port, and an annotation without a time.
 * Endpoints, tags and annotations of a wrong type are dropped in the same way. An invalid span is rejected, and the
 * other spans are kept.
 *
 * Source: openzipkin/zipkin-api zipkin2-api.yaml; for refusals and their texts, zipkin-go 0.4.3.
 */
export class ZipkinV2JsonTranscoder implements MessageTranscoder {
  readonly #text = new ZipkinJsonText();
  readonly #draft = new SpanDraft();
  readonly #writer: SpanDraftWriter;

  constructor(options: TranscoderOptions = {}) {
    this.#writer = new SpanDraftWriter(options.maxRowsBytes);
  }

  /**
   * @param message a JSON array of spans; bytes that are not UTF-8 become U+FFFD; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError; then no span of the message is kept. WIRE_TRUNCATED when the message ends early; WIRE_MALFORMED
   * when it is not a JSON list; WIRE_TOO_DEEP past 10,000 levels; WIRE_TOO_LARGE past 2,000,000 values. When all spans
   * are rejected, the error of the first span is thrown.
   */
  transcode(message: Uint8Array, tenant = ""): TranscodeResult {
    const text = this.#text;
    text.open(message);
    this.#draft.open(text.bytes);
    this.#writer.open();
    let count = 0;
    const rejected = new RejectedSpans();
    const { tape } = text;
    if (text.isList(0, "spans")) {
      const end = tape.after(0);
      for (let token = 1; token < end; token = tape.after(token)) {
        if (tape.kind(token) === nullStart) {
          continue;
        }
        try {
          this.#readSpan(token);
          this.#writer.write(this.#draft, tenant);
          count++;
        } catch (error) {
          const index = count + rejected.count;
          rejected.add(this.#draft.name, () => `spans[${index}]`, error);
        }
      }
    }
    rejected.refuseNothing(count);
    return {
      rows: this.#writer.rows(count),
      rejectedSpans: rejected.count,
      errorMessage: rejected.errorMessage,
    };
  }

  /** Reads a span into the draft. @throws WireError WIRE_BAD_ID without a trace or span id, WIRE_MALFORMED */
  #readSpan(span: number): void {
    const draft = this.#draft;
    const text = this.#text;
    const { tape } = text;
    draft.clear();
    if (tape.kind(span) !== openBrace) {
      throw text.unfit(span, "a span", "object");
    }
    const end = tape.after(span);
    for (let name = span + 1; name < end; name = tape.after(name + 1)) {
      const value = name + 1;
      if (tape.kind(value) !== nullStart) {
        this.#readMember(name, value);
      }
    }
    if (!draft.hasSpanId) {
      throw new WireError("WIRE_BAD_ID", "valid span id required");
    }
    if (!draft.hasTraceId) {
      throw new WireError("WIRE_BAD_ID", "valid traceId required");
    }
    draft.hasTimestamp = (draft.timestampLow | draft.timestampHigh) !== 0;
  }

  /** Reads one member of a span that is not null. */
  #readMember(name: number, value: number): void {
    const draft = this.#draft;
    const text = this.#text;
    text.locate(name);
    switch (spanNames[spanTable.find(text.bytes, text.start, text.end)]) {
      case "traceId":
        this.#readId(value, 0, 16, "traceId");
        break;
      case "id":
        this.#readId(value, 16, 8, "id");
        break;
      case "parentId":
        this.#orDropped("parentId", () => this.#readId(value, 24, 8, "parentId"));
        break;
      case "name":
        text.string(value, "name");
        draft.nameStart = text.start;
        draft.nameEnd = text.end;
        break;
      case "kind": {
        text.string(value, "kind");
        const kind = kindTable.find(text.bytes, text.start, text.end);
        draft.kind = kind === -1 ? 0 : kind + 2;
        break;
      }
      case "timestamp":
        text.micros(value, "timestamp");
        draft.timestampLow = text.low;
        draft.timestampHigh = text.high;
        break;
      case "duration":
        this.#orDropped("duration", () => {
          text.micros(value, "duration");
          draft.durationLow = text.low;
          draft.durationHigh = text.high;
        });
        break;
      case "localEndpoint":
        this.#orDropped("localEndpoint", () => this.#readEndpoint(value, draft.local, "localEndpoint"));
        break;
      case "remoteEndpoint":
        this.#orDropped("remoteEndpoint", () => this.#readEndpoint(value, draft.remote, "remoteEndpoint"));
        break;
      case "annotations":
        this.#orDropped("annotations", () => this.#readAnnotations(value));
        break;
      case "tags":
        this.#orDropped("tags", () => this.#readTags(value));
        break;
      default:
        break;
    }
  }

  /** Reads an optional member; an unreadable member is dropped, and the span gets a warning. */
  #orDropped(name: string, read: () => void): void {
    try {
      read();
    } catch (error) {
      if (!(error instanceof WireError)) {
        throw error;
      }
      if (name === "parentId") {
        this.#draft.ids.fill(0, 24, 32);
      }
      this.#draft.mends.add(`${name} was dropped: ${error.message}`);
    }
  }

  /** Reads a hex id into `ids[at, at + byteCount)`; a shorter id gets leading zeros. */
  #readId(value: number, at: number, byteCount: number, name: string): void {
    const text = this.#text;
    text.string(value, name);
    const { ids } = this.#draft;
    ids.fill(0, at, at + byteCount);
    readHexId(text.bytes, text.start, text.end, ids, at, byteCount);
  }

  /** Reads `{"serviceName":"shop","ipv4":"10.0.0.1","port":80}`. Only an invalid address or port is dropped. */
  #readEndpoint(object: number, endpoint: EndpointDraft, name: string): void {
    const text = this.#text;
    const { tape } = text;
    if (text.isEmptyList(object)) {
      return;
    }
    if (tape.kind(object) !== openBrace) {
      throw text.unfit(object, name, "object");
    }
    const end = tape.after(object);
    for (let key = object + 1; key < end; key = tape.after(key + 1)) {
      const value = key + 1;
      if (tape.kind(value) === nullStart) {
        continue;
      }
      text.locate(key);
      switch (endpointTable.find(text.bytes, text.start, text.end)) {
        case 0:
          text.string(value, `${name}.serviceName`);
          endpoint.serviceStart = text.start;
          endpoint.serviceEnd = text.end;
          break;
        case 1:
          this.#orDropped(`${name}.ipv4`, () => {
            endpoint.ipv4 = text.ip(value, `${name}.ipv4`);
          });
          break;
        case 2:
          this.#orDropped(`${name}.ipv6`, () => {
            endpoint.ipv6 = text.ip(value, `${name}.ipv6`);
          });
          break;
        case 3:
          this.#orDropped(`${name}.port`, () => {
            text.uint64(value, `${name}.port`);
            if (text.high !== 0 || text.low >>> 0 > 0xffff) {
              throw text.unfit(value, `${name}.port`, "uint16");
            }
            endpoint.port = text.low;
          });
          break;
        default:
          break;
      }
    }
  }

  /** Reads a list of annotations. Only invalid annotations are dropped. */
  #readAnnotations(list: number): void {
    const draft = this.#draft;
    const text = this.#text;
    const { tape } = text;
    draft.annotationCount = 0;
    if (tape.kind(list) !== openBracket) {
      throw text.unfit(list, "annotations", "array");
    }
    const end = tape.after(list);
    for (let annotation = list + 1; annotation < end; annotation = tape.after(annotation)) {
      if (tape.kind(annotation) !== nullStart) {
        this.#orDropped("an annotation", () => this.#readAnnotation(annotation));
      }
    }
  }

  /**
   * Reads `{"timestamp":1,"value":"sr"}`. @throws WireError for an annotation without a time, because Zipkin refuses
   * it, too
   */
  #readAnnotation(annotation: number): void {
    const text = this.#text;
    const { tape } = text;
    if (tape.kind(annotation) !== openBrace) {
      throw text.unfit(annotation, "an annotation", "object");
    }
    let low = 0;
    let high = 0;
    let start = 0;
    let stop = 0;
    const end = tape.after(annotation);
    for (let key = annotation + 1; key < end; key = tape.after(key + 1)) {
      const value = key + 1;
      if (tape.kind(value) === nullStart) {
        continue;
      }
      text.locate(key);
      const name = annotationTable.find(text.bytes, text.start, text.end);
      if (name === 0) {
        text.micros(value, "annotations.timestamp");
        low = text.low;
        high = text.high;
      } else if (name === 1) {
        text.string(value, "annotations.value");
        start = text.start;
        stop = text.end;
      }
    }
    if ((low | high) === 0) {
      throw new WireError("WIRE_MALFORMED", "valid annotation timestamp required");
    }
    this.#draft.addAnnotation(low, high, start, stop);
  }

  /** Reads the tags. A value that is not a string becomes the text of its JSON. */
  #readTags(object: number): void {
    const { tags } = this.#draft;
    const text = this.#text;
    const { tape } = text;
    if (text.isEmptyList(object)) {
      return;
    }
    if (tape.kind(object) !== openBrace) {
      throw text.unfit(object, "tags", "object");
    }
    const end = tape.after(object);
    for (let key = object + 1; key < end; key = tape.after(key + 1)) {
      const value = key + 1;
      text.locate(key);
      const { start: keyStart, end: keyEnd } = text;
      if (tape.kind(value) === quote) {
        text.locate(value);
        tags.add(keyStart, keyEnd, text.start, text.end);
      } else if (tape.kind(value) === nullStart) {
        tags.add(keyStart, keyEnd, 0, 0);
      } else if (tape.kind(value) !== openBrace && tape.kind(value) !== openBracket) {
        tags.add(keyStart, keyEnd, tape.start(value), tape.end(value));
      } else {
        text.container(value);
        tags.add(keyStart, keyEnd, text.start, text.end);
      }
    }
  }
}
