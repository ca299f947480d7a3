import { type ApiV2Span, type Process, type SpanRef, SpanRefType } from "wire/api-v2";
import type { ApiTrace } from "../service/api-trace.ts";
import { quoteRepeated, tagsJson } from "./tag-json.ts";

/** Pieces are about this long: long enough to be cheap to send, short enough not to hold up other requests. */
const pieceLength = 65_536;

/** Beyond this many seconds a time in microseconds is no longer exact as a JavaScript number. */
const maxExactSeconds = 9_000_000_000n;

/**
 * Traces as the public model's UI reads them, in pieces; together they are one JSON array. Keys are in the public
 * model's order. Times are unsigned microseconds, so that negative ones wrap at 2^64. The traces
 * are used up: a span is let go when it is written.
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
  let json = traceHead(trace.spans[0]?.traceId);
  // The last first, which can be taken out cheaply: what is sent need not be held until a slow client has it all.
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

/**
 * As `tracesJson`, for traces whose spans come some at a time, in order. An empty piece says that what is there may go
 * out at once: the beginning of a large trace, whose spans take a while.
 */
export async function* shownTracesJson(traces: AsyncIterable<ShownTrace>): AsyncGenerator<string> {
  let separator = "[";
  for await (const { traceId, isLarge, spans } of traces) {
    yield separator + traceHead(Buffer.from(traceId, "hex"));
    if (isLarge) yield "";
    separator = ",";
    const processes = new ProcessKeys();
    let json = "";
    let comma = "";
    for await (const batch of spans) {
      for (const span of batch) {
        json += comma + spanJson(span, processes);
        comma = ",";
      }
      if (json.length >= pieceLength) {
        yield json;
        json = "";
      }
    }
    yield json + traceTail(processes, []);
  }
  yield separator === "[" ? "[]" : "]";
}

/** A trace that is made while it is sent. */
export interface ShownTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  readonly isLarge: boolean;
  readonly spans: AsyncIterable<readonly ApiV2Span[]>;
}

function traceHead(traceId: Buffer | undefined): string {
  return `{"traceID":"${traceId === undefined ? "" : traceIdJson(traceId)}","spans":[`;
}

function traceTail(processes: ProcessKeys, warnings: readonly string[]): string {
  return `],"processes":${processes.json()},"warnings":${warningsJson(warnings)}}`;
}

function spanJson(span: ApiV2Span, processes: ProcessKeys): string {
  const traceId = traceIdJson(span.traceId);
  const flags = span.flags === 0 ? "" : `"flags":${span.flags},`;
  const logs = span.logs.map(
    ({ timestamp, fields }) => `{"timestamp":${microsJson(timestamp)},"fields":${tagsJson(fields)}}`,
  );
  return (
    `{"traceID":"${traceId}","spanID":"${span.spanId.toString("hex")}",${flags}` +
    `"operationName":${quoteRepeated(span.operationName)},` +
    `"references":[${span.references.map(referenceJson).join(",")}],` +
    `"startTime":${microsJson(span.startTime)},"duration":${microsJson(span.duration)},` +
    `"tags":${tagsJson(span.tags)},"logs":[${logs.join(",")}],` +
    `"processID":"${processes.keyOf(span.process)}","warnings":${warningsJson(span.warnings)}}`
  );
}

function referenceJson({ refType, traceId, spanId }: SpanRef): string {
  const type = refType === SpanRefType.CHILD_OF ? "CHILD_OF" : "FOLLOWS_FROM";
  return `{"refType":"${type}","traceID":"${traceIdJson(traceId)}","spanID":"${spanId.toString("hex")}"}`;
}

/** 16 digits when the high half is zero, otherwise 32. */
function traceIdJson(traceId: Buffer): string {
  const hex = traceId.toString("hex");
  return hex.startsWith("0000000000000000") ? hex.slice(16) : hex;
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

function warningsJson(warnings: readonly string[]): string {
  return warnings.length === 0 ? "null" : JSON.stringify(warnings);
}

/** Equal processes of a trace share one key: p1, p2 … in order of first use. */
class ProcessKeys {
  readonly #keys = new Map<string, string>();
  /** Spans often share the very object. */
  readonly #known = new Map<Process | undefined, string>();

  keyOf(process: Process | undefined): string {
    let key = this.#known.get(process);
    if (key === undefined) {
      key = this.#keyOfEqual(process);
      this.#known.set(process, key);
    }
    return key;
  }

  #keyOfEqual(process: Process | undefined): string {
    const json = `{"serviceName":${quoteRepeated(process?.serviceName ?? "")},"tags":${tagsJson(process?.tags ?? [])}}`;
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
