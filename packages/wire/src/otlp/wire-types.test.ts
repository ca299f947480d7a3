import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { ApiV2Transcoder } from "../api-v2/api-v2-transcoder.ts";
import { WireError } from "../errors.ts";
import type { MessageTranscoder } from "../rows/message-transcoder.ts";
import { ids, type ProtoField, protoMessage, spanId, traceId } from "../testing/proto-fields.ts";
import { ZipkinV2ProtoTranscoder } from "../zipkin/zipkin-v2-proto-transcoder.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";

/** A value for each wire type that is skipped, and a group. */
const values: ReadonlyMap<number, Buffer> = new Map([
  [0, Buffer.of(1)],
  [1, Buffer.alloc(8, 1)],
  [2, Buffer.of(0)],
  [3, Buffer.alloc(0)],
  [5, Buffer.alloc(4, 1)],
]);

function field(number: number, wireType: number): Uint8Array {
  return new BinaryWriter().tag(number, wireType).raw(bytesOf(wireType)).finish();
}

function bytesOf(wireType: number): Buffer {
  return values.get(wireType) ?? Buffer.alloc(0);
}

function answerOf(transcoder: MessageTranscoder, request: Uint8Array): string {
  try {
    return Buffer.from(transcoder.transcode(request).rows.bytes).toString("hex");
  } catch (error) {
    if (error instanceof WireError) {
      return `${error.code} ${error.message}`;
    }
    throw error;
  }
}

interface Message {
  readonly name: string;
  readonly open: () => MessageTranscoder;
  /** Wire types of fields 1, 2 and so on; undefined for a number without a field. */
  readonly fields: readonly (number | undefined)[];
  /** A complete request that contains this message. */
  readonly within: (message: Uint8Array) => Uint8Array;
}

/**
 * Nests a message: into field `numbers[0]` of a message, that into field `numbers[1]` of another, up to the request.
 */
function inside(...numbers: readonly number[]): (message: Uint8Array) => Uint8Array {
  return (message) => numbers.reduce((inner, number) => protoMessage([number, "bytes", inner]), message);
}

/** The same for parts of a span, which also needs ids. */
function inSpan(
  spanIds: readonly ProtoField[],
  ofSpan: (span: Uint8Array) => Uint8Array,
  ...numbers: readonly number[]
): (message: Uint8Array) => Uint8Array {
  const wrap = inside(...numbers);
  return (message) => ofSpan(Buffer.concat([protoMessage(...spanIds), wrap(message)]));
}

const otlp = () => new OtlpTranscoder();
const inOtlpSpan = (...numbers: number[]) => inSpan(ids, inside(2, 2, 1), ...numbers);
const otlpMessages: Message[] = [
  { name: "request", open: otlp, fields: [2], within: inside() },
  { name: "ResourceSpans", open: otlp, fields: [2, 2, 2], within: inside(1) },
  { name: "Resource", open: otlp, fields: [2, 0], within: inside(1, 1) },
  { name: "ScopeSpans", open: otlp, fields: [2, 2, 2], within: inside(2, 1) },
  { name: "InstrumentationScope", open: otlp, fields: [2, 2, 2, 0], within: inside(1, 2, 1) },
  {
    name: "Span",
    open: otlp,
    fields: [2, 2, 2, 2, 2, 0, 1, 1, 2, 0, 2, 0, 2, 0, 2, 5],
    within: inOtlpSpan(),
  },
  { name: "Event", open: otlp, fields: [1, 2, 2, 0], within: inOtlpSpan(11) },
  { name: "Link", open: otlp, fields: [2, 2, 2, 2, 0, 5], within: inOtlpSpan(13) },
  { name: "Status", open: otlp, fields: [undefined, 2, 0], within: inOtlpSpan(15) },
  { name: "KeyValue of a resource", open: otlp, fields: [2, 2], within: inside(1, 1, 1) },
  { name: "KeyValue of a span", open: otlp, fields: [2, 2], within: inOtlpSpan(9) },
  { name: "AnyValue", open: otlp, fields: [2, 0, 0, 1, 2, 2, 2], within: inOtlpSpan(2, 9) },
  { name: "ArrayValue", open: otlp, fields: [2], within: inOtlpSpan(5, 2, 9) },
  { name: "KeyValueList", open: otlp, fields: [2], within: inOtlpSpan(6, 2, 9) },
  { name: "KeyValue of a list", open: otlp, fields: [2, 2], within: inOtlpSpan(1, 6, 2, 9) },
];

const apiV2 = () => new ApiV2Transcoder();
const inApiV2Span = (...numbers: number[]) => inSpan(ids, inside(1, 1), ...numbers);
const apiV2Messages: Message[] = [
  { name: "PostSpansRequest", open: apiV2, fields: [2], within: inside() },
  { name: "Batch", open: apiV2, fields: [2, 2], within: inside(1) },
  { name: "Process of a batch", open: apiV2, fields: [2, 2], within: inside(2, 1) },
  { name: "Process of a span", open: apiV2, fields: [2, 2], within: inApiV2Span(10) },
  { name: "Span", open: apiV2, fields: [2, 2, 2, 2, 0, 2, 2, 2, 2, 2, 2, 2], within: inApiV2Span() },
  { name: "SpanRef", open: apiV2, fields: [2, 2, 0], within: inApiV2Span(4) },
  { name: "Timestamp", open: apiV2, fields: [0, 0], within: inApiV2Span(6) },
  { name: "Duration", open: apiV2, fields: [0, 0], within: inApiV2Span(7) },
  { name: "KeyValue of a process", open: apiV2, fields: [2, 0, 2, 0, 0, 1, 2], within: inside(2, 2, 1) },
  { name: "KeyValue of a span", open: apiV2, fields: [2, 0, 2, 0, 0, 1, 2], within: inApiV2Span(8) },
  { name: "Log", open: apiV2, fields: [2, 2], within: inApiV2Span(9) },
  { name: "Timestamp of a log", open: apiV2, fields: [0, 0], within: inApiV2Span(1, 9) },
];

const zipkin = () => new ZipkinV2ProtoTranscoder();
const zipkinIds: readonly ProtoField[] = [
  [1, "bytes", traceId],
  [3, "bytes", spanId],
];
const inZipkinSpan = (...numbers: number[]) => inSpan(zipkinIds, inside(1), ...numbers);
const zipkinMessages: Message[] = [
  { name: "ListOfSpans", open: zipkin, fields: [2], within: inside() },
  { name: "Span", open: zipkin, fields: [2, 2, 2, 0, 2, 1, 0, 2, 2, 2, 2, 0, 0], within: inZipkinSpan() },
  { name: "Endpoint, local", open: zipkin, fields: [2, 2, 2, 0], within: inZipkinSpan(8) },
  { name: "Endpoint, remote", open: zipkin, fields: [2, 2, 2, 0], within: inZipkinSpan(9) },
  { name: "Annotation", open: zipkin, fields: [1, 2], within: inZipkinSpan(10) },
  { name: "tag", open: zipkin, fields: [2, 2], within: inZipkinSpan(11) },
];

describe.each([
  { format: "OTLP", messages: otlpMessages },
  { format: "api_v2", messages: apiV2Messages },
  { format: "Zipkin v2", messages: zipkinMessages },
])("wire types of $format", ({ messages }) => {
  test.each(messages)("refuses a known field of $name with another one", ({ open, fields, within }) => {
    const transcoder = open();
    fields.forEach((own, index) => {
      const number = index + 1;
      for (const wireType of values.keys()) {
        const request = within(field(number, wireType));
        const answer = answerOf(transcoder, request);
        // The field is the last in the request, and the error gives the position before its value.
        const refused = `WIRE_MALFORMED field ${number} before byte ${request.length - bytesOf(wireType).length} has wire type ${wireType}`;
        if (own === undefined && wireType !== 3) {
          expect(answer).not.toMatch("WIRE_");
        } else if (own === undefined) {
          expect(answer).toMatch("wire type 3 before byte");
        } else if (wireType === own) {
          expect(answer).not.toMatch("wire type");
        } else {
          expect(answer).toBe(refused);
        }
      }
    });
  });

  test.each(messages)("passes over unknown fields of $name", ({ open, fields, within }) => {
    const transcoder = open();
    const plain = answerOf(transcoder, within(Buffer.alloc(0)));
    expect(plain).not.toMatch("WIRE_TRUNCATED");
    // Numbers 33 and 34 have the same low bits as 1 and 2.
    const numbers = [fields.length + 1, 31, 32, 33, 34, 1000];
    for (const number of numbers) {
      for (const wireType of [0, 1, 2, 5]) {
        expect(answerOf(transcoder, within(field(number, wireType)))).toBe(plain);
      }
    }
  });
});
