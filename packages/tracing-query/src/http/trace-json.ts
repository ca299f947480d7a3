import { traceIdText } from "wire/api-v2/id-texts";
import { type Span as ApiV2Span, type Log, type Process, type SpanRef, SpanRefType } from "wire/api-v2-model";
import type { ApiTrace } from "../service/api-trace.ts";
import { quoteRepeated, tagsJson } from "./tag-json.ts";

/** Length of a piece: cheap to send, and short enough not to delay other requests. */
const pieceLength = 65_536;

/** A time in microseconds after this many seconds is not exact as a JavaScript number. */
const maxExactSeconds = 9_000_000_000n;

/**
 * Writes traces for Jaeger's UI: pieces of one JSON array. Keys have Jaeger's order. Times are
 * unsigned microseconds, so negative times wrap at 2^64. The input is consumed: each span is released when it is
 * written.
 */
export function* tracesJson(traces: Iterable<ApiTrace>): Generator<string> {
  let separator = "[";
  for (const trace of traces) {
    yield separator;
    yield* traceJson(trace);
    separator = ",";
  }
  yield separator === "[" ? "[]" : "]";
}

function* traceJson(trace: ApiTrace): Generator<string> {
  const processes = new ProcessKeys();
  let json = traceHead(trace.spans[0]?.traceId.toString("hex") ?? "");
  // Reversed, because removing the last element is cheap. Written spans are released, even when the client is slow.
  const rest = trace.spans.reverse();
  for (let span = rest.pop(), isFirst = true; span !== undefined; span = rest.pop(), isFirst = false) {
    json += (isFirst ? "" : ",") + spanJson(span, processes);
    if (json.length >= pieceLength) {
      yield json;
      json = "";
    }
  }
  yield json + traceTail(processes, trace.warnings);
}

/** The start of a trace, up to its spans. @param traceId 32 hex digits; "" without an id */
export function traceHead(traceId: string): string {
  return `{"traceID":"${traceIdText(traceId)}","spans":[`;
}

/** The end of a trace, after its spans. */
export function traceTail(processes: ProcessKeys, warnings: readonly string[]): string {
  return `],"processes":${processes.json()},"warnings":${warningsJson(warnings)}}`;
}

/** Writes a span for Jaeger's UI. */
export function spanJson(span: ApiV2Span, processes: ProcessKeys): string {
  const traceId = traceIdJson(span.traceId);
  const flags = span.flags === 0 ? "" : `"flags":${span.flags},`;
  return (
    `{"traceID":"${traceId}","spanID":"${span.spanId.toString("hex")}",${flags}` +
    `"operationName":${quoteRepeated(span.operationName)},` +
    `"references":${referencesJson(span.references)},` +
    `"startTime":${microsJson(span.startTime)},"duration":${microsJson(span.duration)},` +
    `"tags":${tagsJson(span.tags)},"logs":${logsJson(span.logs)},` +
    `"processID":"${processes.keyOf(span.process)}","warnings":${warningsJson(span.warnings)}}`
  );
}

export function logsJson(logs: readonly Log[]): string {
  const json = logs.map(
    ({ timestamp, fields }) => `{"timestamp":${microsJson(timestamp)},"fields":${tagsJson(fields)}}`,
  );
  return `[${json.join(",")}]`;
}

export function referencesJson(references: readonly SpanRef[]): string {
  return `[${references.map(referenceJson).join(",")}]`;
}

function referenceJson({ refType, traceId, spanId }: SpanRef): string {
  const type = refType === SpanRefType.CHILD_OF ? "CHILD_OF" : "FOLLOWS_FROM";
  return `{"refType":"${type}","traceID":"${traceIdJson(traceId)}","spanID":"${spanId.toString("hex")}"}`;
}

/** 16 digits when the high half is zero, otherwise 32. */
function traceIdJson(traceId: Buffer): string {
  return traceIdText(traceId.toString("hex"));
}

function microsJson(time: ApiV2Span["startTime"]): string {
  if (time === undefined) {
    return "0";
  }
  const { seconds, nanos } = time;
  if (seconds >= 0n && seconds < maxExactSeconds && nanos >= 0) {
    return String(Number(seconds) * 1e6 + Math.trunc(nanos / 1e3));
  }
  return BigInt.asUintN(64, (seconds * 1_000_000_000n + BigInt(nanos)) / 1_000n).toString();
}

export function warningsJson(warnings: readonly string[]): string {
  return warnings.length === 0 ? "null" : JSON.stringify(warnings);
}

/** Keys of a trace's processes: p1, p2 … in order of first use. Equal processes share a key. */
export class ProcessKeys {
  readonly #keys = new Map<string, string>();
  /** Spans often share the same object, which this map finds without comparing contents. */
  readonly #known = new Map<Process | undefined, string>();
  readonly #jsonOf: (process: Process | undefined) => string;

  /** @param jsonOf returns the JSON of a process; pass one with a cache when traces share processes */
  constructor(jsonOf = processJson) {
    this.#jsonOf = jsonOf;
  }

  keyOf(process: Process | undefined): string {
    let key = this.#known.get(process);
    if (key === undefined) {
      key = this.#keyOfEqual(this.#jsonOf(process));
      this.#known.set(process, key);
    }
    return key;
  }

  #keyOfEqual(json: string): string {
    let key = this.#keys.get(json);
    if (key === undefined) {
      key = `p${this.#keys.size + 1}`;
      this.#keys.set(json, key);
    }
    return key;
  }

  json(): string {
    return `{${Array.from(this.#keys, ([json, key]) => `"${key}":${json}`).join(",")}}`;
  }
}

/** A process in the form that Jaeger's UI reads. */
export function processJson(process: Process | undefined): string {
  return `{"serviceName":${quoteRepeated(process?.serviceName ?? "")},"tags":${tagsJson(process?.tags ?? [])}}`;
}
