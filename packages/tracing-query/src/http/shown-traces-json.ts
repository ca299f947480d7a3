import type { PackedTrace, SpanList } from "storage/api";
import type { ApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { adjustedTogether, sentSpans } from "../service/adjusters/adjusted-spans.ts";
import { planClocks } from "../service/adjusters/clock-plan.ts";
import { largeTraceSpans } from "../service/trace-room.ts";
import { ProcessKeys } from "./process-keys.ts";
import { ShownSpanJson } from "./shown-span-json.ts";
import { spanJson, traceHead, traceTail } from "./trace-json.ts";

/** Pieces are about this long: long enough to be cheap to send, short enough not to hold up other requests. */
const pieceLength = 65_536;

/** A trace that is made JSON while it is sent. */
export interface ShownTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  readonly isLarge: boolean;
  readonly trace: PackedTrace | Promise<PackedTrace>;
}

/**
 * As `tracesJson`, for traces that are adjusted on the way. An empty piece says that what is there may go out at once: the
 * beginning of a large trace, whose spans take a while. Only where spans share an id are all of them held as objects at once:
 * whether one repeats another, or is the other side of its call, takes both.
 * @param options undefined: as they were sent
 */
export async function* shownTracesJson(
  traces: Iterable<ShownTrace>,
  options: AdjustOptions | undefined,
): AsyncGenerator<string> {
  const writer = options === undefined ? undefined : new ShownSpanJson(options);
  let separator = "[";
  for (const { traceId, isLarge, trace } of traces) {
    const head = separator + traceHead(traceId);
    yield head;
    if (isLarge) yield "";
    separator = ",";
    const keys = new ProcessKeys(writer?.processJsonOf);
    const packed = await trace;
    yield* writer === undefined || options === undefined
      ? apiSpansJson(sentSpans(packed), keys)
      : adjustedJson(packed, options, writer, keys);
    yield traceTail(keys, []);
  }
  yield separator === "[" ? "[]" : "]";
}

async function* adjustedJson(
  trace: PackedTrace,
  options: AdjustOptions,
  writer: ShownSpanJson,
  keys: ProcessKeys,
): AsyncGenerator<string> {
  const isLarge = trace.spans.length > largeTraceSpans;
  const spans = isLarge || trace.spans.fieldsAt !== undefined ? trace.spans : asObjects(trace.spans);
  const plan = await planClocks(spans, options.maxClockSkewNano, writer.processes);
  if (plan === undefined) {
    yield* apiSpansJson(adjustedTogether(trace, options), keys);
    return;
  }
  let json = "";
  for (let index = 0; index < spans.length; index++) {
    const clock = { deltaNano: plan.deltaNano(index), missingParent: plan.missingParent(index) };
    if (index > 0) json += ",";
    json += writer.json(spans.at(index) as Span, clock, keys);
    if (json.length >= pieceLength) {
      yield json;
      json = "";
    }
  }
  if (json !== "") yield json;
}

function* apiSpansJson(batches: Iterable<readonly ApiV2Span[]>, keys: ProcessKeys): Generator<string> {
  let json = "";
  let comma = "";
  for (const batch of batches) {
    for (const span of batch) {
      json += comma + spanJson(span, keys);
      comma = ",";
    }
    if (json.length >= pieceLength) {
      yield json;
      json = "";
    }
  }
  if (json !== "") yield json;
}

function asObjects(spans: SpanList): readonly Span[] {
  return Array.from({ length: spans.length }, (_, index) => spans.at(index) as Span);
}
