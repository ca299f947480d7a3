import { WireError } from "../errors.ts";
import type { AttributeValue } from "../model/attribute.ts";
import type { Span } from "../model/span.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { SpanMends } from "../rows/span-mends.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { ZipkinJsonText } from "./zipkin-json-text.ts";
import {
  type ZipkinV1Annotation,
  type ZipkinV1BinaryAnnotation,
  type ZipkinV1Endpoint,
  type ZipkinV1Span,
  ZipkinV1SpanConverter,
} from "./zipkin-v1-span.ts";

const nullStart = 0x6e;

export interface ZipkinV1JsonOptions extends TranscoderOptions {
  /** Returns the present time in nanoseconds since the epoch, for spans without a time. Default: the system's clock. */
  readonly nowUnixNano?: () => bigint;
}

/**
 * Converts Zipkin v1 JSON, a list of spans, to rows. Trace ids have 16 or 32 hex digits, span ids 16. Numbers may be
 * strings. A value may have any type; lists and objects become the text of their JSON. Unknown members are ignored. A
 * span without any time gets the present time and the attribute `otel.zipkin.absentField.startTime`. An unreadable
 * parent id, port or annotation, and a list of a wrong type are dropped, and the span gets a warning. An invalid span
 * is rejected, and the other spans are kept.
 *
 * Source: openzipkin/zipkin-api zipkin-api.yaml; for refusals and their texts, Jaeger 1.62.
 */
export class ZipkinV1JsonTranscoder implements MessageTranscoder {
  readonly #text = new ZipkinJsonText();
  readonly #writer: SpanRowWriter;
  readonly #nowUnixNano: () => bigint;
  readonly #mends = new SpanMends();
  /** Name of the present span. */
  #name = "";

  constructor(options: ZipkinV1JsonOptions = {}) {
    this.#writer = new SpanRowWriter(options);
    this.#nowUnixNano = options.nowUnixNano ?? (() => BigInt(Date.now()) * 1_000_000n);
  }

  /**
   * @param message a JSON array of spans; bytes that are not UTF-8 become U+FFFD; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError; then no span of the message is kept. WIRE_TRUNCATED; WIRE_MALFORMED when the message is not a
   * JSON list; WIRE_TOO_DEEP past 10,000 levels; WIRE_TOO_LARGE past 2,000,000 values; the error of the first span when
   * all spans are rejected
   */
  transcode(message: Uint8Array, tenant = ""): TranscodeResult {
    // Drops the rows of a message that was refused in the middle.
    this.#writer.take();
    const rejected = new RejectedSpans();
    try {
      const converter = new ZipkinV1SpanConverter();
      this.#text.open(message);
      let count = 0;
      for (const [index, token] of this.#items(0, "spans").entries()) {
        this.#mends.clear();
        this.#name = "";
        try {
          const span = this.#withTime(converter.convert(this.#spanOf(token)));
          const { list: warnings } = this.#mends;
          this.#writer.append(warnings.length === 0 ? span : { ...span, warnings }, tenant);
          count++;
        } catch (error) {
          rejected.add(this.#name, () => `spans[${index}]`, error);
        }
      }
      rejected.refuseNothing(count);
    } catch (error) {
      if (!(error instanceof WireError) || error.code === "WIRE_BAD_ID") {
        throw error;
      }
      throw new WireError(error.code, `zipkinv1: ${error.message}`, { cause: error });
    }
    return {
      rows: this.#writer.take(),
      rejectedSpans: rejected.count,
      errorMessage: rejected.errorMessage,
    };
  }

  /** Gives the present time to a span without any time, so that a search for the last hour finds the span. */
  #withTime(span: Span): Span {
    if (span.startTimeUnixNano !== 0n) {
      return span;
    }
    const isAbsent = {
      key: "otel.zipkin.absentField.startTime",
      value: { type: "bool", value: true },
    } as const;
    const others = span.attributes.filter(({ key }) => key !== isAbsent.key);
    return {
      ...span,
      startTimeUnixNano: this.#nowUnixNano(),
      durationNano: 0n,
      attributes: [...others, isAbsent],
    };
  }

  /**
   * @throws WireError WIRE_BAD_ID for an invalid id; WIRE_MALFORMED for a time, a duration or a name of a wrong type
   */
  #spanOf(token: number): ZipkinV1Span {
    const text = this.#text;
    const members = text.members(token, "a span");
    this.#name = text.text(members.get("name"), "name");
    const timestamp = text.int64(members.get("timestamp"), "timestamp");
    return {
      name: this.#name,
      timestamp: timestamp === 0n ? undefined : timestamp,
      duration: text.int64(members.get("duration"), "duration"),
      annotations: this.#listOf(members.get("annotations"), "annotations", (item) =>
        this.#annotationOf(item),
      ),
      binaryAnnotations: this.#listOf(members.get("binaryannotations"), "binaryAnnotations", (item) =>
        this.#binaryAnnotationOf(item),
      ),
      traceId: traceIdOf(text.text(members.get("traceid"), "traceId")),
      id: spanIdOf(text.text(members.get("id"), "id"), "id"),
      parentId:
        this.#orDropped("parentId", () => parentIdOf(text.text(members.get("parentid"), "parentId"))) ?? "",
    };
  }

  /** Reads a list; unreadable elements are dropped. */
  #listOf<T>(token: number | undefined, name: string, read: (item: number) => T): T[] {
    const items = this.#orDropped(name, () => this.#items(token, name)) ?? [];
    return items.flatMap((item) => this.#orDropped(`an element of ${name}`, () => [read(item)]) ?? []);
  }

  /** Reads an optional member; an unreadable member is dropped, and the span gets a warning. */
  #orDropped<T>(name: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof WireError)) {
        throw error;
      }
      this.#mends.add(`${name} was dropped: ${error.message}`);
      return undefined;
    }
  }

  /** Reads `{"timestamp":1,"value":"sr","endpoint":{…}}`. */
  #annotationOf(token: number): ZipkinV1Annotation {
    const text = this.#text;
    const members = text.members(token, "an annotation");
    return {
      timestamp: text.int64(members.get("timestamp"), "annotations.timestamp"),
      value: text.text(members.get("value"), "annotations.value"),
      endpoint: this.#endpointOf(members.get("endpoint")),
    };
  }

  /** Reads `{"key":"http.path","value":"/","endpoint":{…}}`. */
  #binaryAnnotationOf(token: number): ZipkinV1BinaryAnnotation {
    const text = this.#text;
    const members = text.members(token, "a binary annotation");
    const value = this.#valueOf(members.get("value"));
    return {
      key: text.text(members.get("key"), "binaryAnnotations.key"),
      value,
      text: value.type === "string" ? value.value : "",
      serviceName: this.#endpointOf(members.get("endpoint"))?.serviceName || undefined,
    };
  }

  /**
   * Reads a value of any type. Old clients send an address as `true`. Whole 64-bit numbers become ints, all other
   * numbers doubles. Lists and objects become the text of their JSON.
   */
  #valueOf(token: number | undefined): AttributeValue {
    const { tape } = this.#text;
    switch (token === undefined ? 0 : tape.kind(token)) {
      case 0x74:
        return { type: "bool", value: true };
      case 0x66:
        return { type: "bool", value: false };
      case 0x2d:
      case 0x30:
      case 0x31:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x35:
      case 0x36:
      case 0x37:
      case 0x38:
      case 0x39: {
        const source = tape.source(token as number);
        const int = /^-?\d{1,19}$/.test(source) ? BigInt(source) : undefined;
        return int !== undefined && BigInt.asIntN(64, int) === int
          ? { type: "int", value: int }
          : { type: "double", value: Number(source) };
      }
      case 0x5b:
      case 0x7b: {
        const text = this.#text;
        text.container(token as number);
        return { type: "string", value: text.bytes.toString("utf8", text.start, text.end) };
      }
      default:
        return { type: "string", value: this.#text.text(token, "binaryAnnotations.value") };
    }
  }

  /** Reads an endpoint. A port that does not fit 32 bits becomes 0, and the span gets a warning. */
  #endpointOf(token: number | undefined): ZipkinV1Endpoint | undefined {
    if (token === undefined) {
      return undefined;
    }
    const text = this.#text;
    const members = text.members(token, "endpoint");
    const port = this.#orDropped("endpoint.port", () => {
      const sent = text.int64(members.get("port"), "endpoint.port");
      if (BigInt.asIntN(32, sent) === sent) {
        return sent;
      }
      throw text.unfit(members.get("port") ?? token, "endpoint.port", "int32");
    });
    return {
      serviceName: text.text(members.get("servicename"), "endpoint.serviceName"),
      ipv4: text.text(members.get("ipv4"), "endpoint.ipv4"),
      ipv6: text.text(members.get("ipv6"), "endpoint.ipv6"),
      port: Number(port ?? 0n),
    };
  }

  /** The values of a list that are not null. */
  #items(token: number | undefined, name: string): number[] {
    const { tape } = this.#text;
    const items: number[] = [];
    if (token === undefined || !this.#text.isList(token, name)) {
      return items;
    }
    const end = tape.after(token);
    for (let item = token + 1; item < end; item = tape.after(item)) {
      if (tape.kind(item) !== nullStart) {
        items.push(item);
      }
    }
    return items;
  }
}

/** Converts 16 or 32 hex digits to 32 lower-case digits. @throws WireError WIRE_BAD_ID with Jaeger's text */
function traceIdOf(hex: string): string {
  const length = Buffer.byteLength(hex);
  if (length !== 16 && length !== 32) {
    throw badId("traceId", "hex traceId span has wrong length (expected 16 or 32)");
  }
  return checkedId(hex, "traceId", "traceId is zero").padStart(32, "0");
}

/** Converts 16 hex digits to lower case. @param name name of the member, for the error */
function spanIdOf(hex: string, name: string): string {
  if (Buffer.byteLength(hex) !== 16) {
    throw badId(name, "hex Id has wrong length (expected 16)");
  }
  return checkedId(hex, name, "ID is zero");
}

/** The parent's id; "" for a root span. */
function parentIdOf(hex: string): string {
  return hex === "" ? "" : spanIdOf(hex, "parentId");
}

/** @param whenZero Jaeger's error text for an id of zeros */
function checkedId(hex: string, name: string, whenZero: string): string {
  const wrong = Buffer.from(hex).find((byte) => !/[0-9a-fA-F]/.test(String.fromCharCode(byte)));
  if (wrong !== undefined) {
    const code = wrong.toString(16).toUpperCase().padStart(4, "0");
    const isShown = wrong > 0x1f && wrong < 0x7f;
    throw badId(
      name,
      `encoding/hex: invalid byte: U+${code}${isShown ? ` '${String.fromCharCode(wrong)}'` : ""}`,
    );
  }
  if (/^0+$/.test(hex)) {
    throw badId(name, whenZero);
  }
  return hex.toLowerCase();
}

function badId(name: string, problem: string): WireError {
  return new WireError("WIRE_BAD_ID", `zipkinV1 span ${name}: ${problem}`);
}
