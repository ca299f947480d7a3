import type { SpanList } from "storage/api";
import { nextTurn } from "storage/next-turn";
import type { PartialReasons } from "storage/partial-answer";
import { encodeTraces, tracesJsonValue } from "wire/otlp";
import { partialText } from "../service/partial-text.ts";
import { spansInParts } from "../service/spans-of.ts";

/** Number of spans to write in one turn; other requests run between two turns. */
const spansPerPart = 500;

/** Number of spans to write as JSON in one turn; lower, because JSON takes longer. */
const spansPerJsonPart = 200;

/** Protobuf tag of field 1, a message. */
const firstMessage = 0x0a;

/** Tags of `status` (field 3, a number) and of `message` (field 4, a text), and the number of PARTIAL. */
const statusField = 0x18;
const messageField = 0x22;
const partialStatusNumber = 1;

/**
 * A trace as Tempo's `Trace`, which is OTLP's `TracesData`. The parts join to one message, because protobuf
 * merges repeated fields of concatenated messages. Source: protobuf.dev, "Encoding", "Last One Wins"
 */
export async function* traceMessage(spans: SpanList): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for (const part of spansInParts(spans, spansPerPart)) {
    if (!isFirst) {
      await nextTurn();
    }
    isFirst = false;
    yield encodeTraces(part);
  }
}

/**
 * Tempo's `TraceByIDResponse`. Field 1 holds the trace, in several parts, which protobuf merges. The status
 * follows; its default is COMPLETE. An empty trace is written too, because readers expect the field.
 */
export async function* traceByIdMessage(
  spans: SpanList,
  reasons?: Pick<PartialReasons, "partial">,
): AsyncGenerator<Uint8Array> {
  if (spans.length === 0) {
    yield Uint8Array.from([firstMessage, 0]);
  }
  for await (const part of traceMessage(spans)) {
    yield Uint8Array.from([firstMessage, ...varint(part.length)]);
    yield part;
  }
  const partial = reasons?.partial;
  if (partial === undefined) {
    return;
  }
  const message = Buffer.from(partialText(partial));
  yield Uint8Array.from([statusField, partialStatusNumber, messageField, ...varint(message.length)]);
  yield message;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.trunc(rest / 0x80);
  }
  return [...bytes, rest];
}

const kindNames = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const statusNames = ["UNSET", "OK", "ERROR"];

interface JsonSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind?: number | string;
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number | string };
}

interface JsonTrace {
  resourceSpans: { scopeSpans: { spans: JsonSpan[] }[] }[];
}

/**
 * The list `resourceSpans` of a trace as JSON, in pieces. The form is protobuf's JSON, as in Tempo, not OTLP's JSON: ids are
 * base64, enums are names.
 */
export function* resourceSpansJson(spans: SpanList): Generator<string> {
  yield "[";
  let separator = "";
  for (const part of spansInParts(spans, spansPerJsonPart)) {
    const { resourceSpans } = tracesJsonValue(part) as JsonTrace;
    for (const { scopeSpans } of resourceSpans) {
      for (const one of scopeSpans.flatMap((scope) => scope.spans)) {
        rename(one);
      }
    }
    yield separator + JSON.stringify(resourceSpans).slice(1, -1);
    separator = ",";
  }
  yield "]";
}

function rename(span: JsonSpan): void {
  span.traceId = base64(span.traceId);
  span.spanId = base64(span.spanId);
  if (span.parentSpanId === "") {
    delete span.parentSpanId;
  } else if (span.parentSpanId !== undefined) {
    span.parentSpanId = base64(span.parentSpanId);
  }
  if (typeof span.kind === "number") {
    span.kind = `SPAN_KIND_${kindNames[span.kind]}`;
  }
  if (typeof span.status?.code === "number") {
    span.status.code = `STATUS_CODE_${statusNames[span.status.code]}`;
  }
  for (const link of span.links ?? []) {
    link.traceId = base64(link.traceId);
    link.spanId = base64(link.spanId);
  }
}

function base64(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64");
}
