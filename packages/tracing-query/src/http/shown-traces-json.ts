import type { PackedTrace } from "storage/api";
import type { Span as ApiV2Span } from "wire/api-v2-model";
import type { Span } from "wire/model";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { adjustedTogether, sentSpans } from "../service/adjusters/adjust-trace.ts";
import { planClocks } from "../service/adjusters/clock-plan.ts";
import { JsonBytes } from "./json-bytes.ts";
import { SpanRowsJson } from "./rows-json/span-rows-json.ts";
import type { SharedJson } from "./shared-json.ts";
import { ShownSpanJson } from "./shown-span-json.ts";
import { ProcessKeys, spanJson, traceHead, traceTail } from "./trace-json.ts";

/** Length of a text piece: cheap to send, and short enough not to delay other requests. */
const pieceLength = 65_536;

/** Length of a piece of bytes, which costs less: about two thirds of a millisecond. */
const bytesLength = 262_144;

const comma = ",".charCodeAt(0);

/** A trace that is written as JSON while it is sent. */
export interface ShownTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** True: the start of the trace is sent before its spans are read. */
  readonly isLarge: boolean;
  readonly trace: PackedTrace | Promise<PackedTrace>;
}

/**
 * Like `tracesJson`, but adjusts the traces. An empty piece asks to send the output made until now: the start of a
 * large trace, whose spans take longer. A trace with a repeated span id is held as objects at once. Both spans are
 * needed to decide if one repeats the other, or is the other side of its call.
 */
export async function* shownTracesJson(
  traces: Iterable<ShownTrace>,
  options: AdjustOptions,
  shared: SharedJson,
): AsyncGenerator<string | Uint8Array> {
  const writer = new ShownSpanJson(options, shared);
  const out = new JsonBytes(pieceLength, bytesLength);
  let separator = "[";
  for (const { traceId, isLarge, trace } of traces) {
    out.text(separator + traceHead(traceId));
    separator = ",";
    if (isLarge) {
      yield out.take();
      yield "";
    }
    const keys = new ProcessKeys(shared.processJsonOf);
    yield* adjustedJson(await trace, options, { writer, out, keys });
    out.text(traceTail(keys, []));
    if (out.isFull) {
      yield out.take();
    }
  }
  out.text(separator === "[" ? "[]" : "]");
  yield out.take();
}

/** Like `shownTracesJson`, but without adjusters. */
export async function* sentTracesJson(traces: Iterable<ShownTrace>): AsyncGenerator<string> {
  let separator = "[";
  for (const { traceId, isLarge, trace } of traces) {
    yield separator + traceHead(traceId);
    if (isLarge) {
      yield "";
    }
    separator = ",";
    const keys = new ProcessKeys();
    yield* apiSpansJson(sentSpans(await trace), keys);
    yield traceTail(keys, []);
  }
  yield separator === "[" ? "[]" : "]";
}

interface Parts {
  readonly writer: ShownSpanJson;
  readonly out: JsonBytes;
  /** The process keys of the trace. */
  readonly keys: ProcessKeys;
}

/** Writes the spans of a trace, and yields pieces long enough to send. */
async function* adjustedJson(
  trace: PackedTrace,
  options: AdjustOptions,
  parts: Parts,
): AsyncGenerator<Uint8Array> {
  const { writer, keys, out } = parts;
  const fieldsAt = trace.spans.fieldsAt?.bind(trace.spans);
  const plan = await planClocks(trace.spans, options.maxClockSkewNano, writer.shared.processes);
  if (plan === undefined) {
    for (const json of apiSpansJson(adjustedTogether(trace, options), keys)) {
      out.text(json);
      if (out.isFull) {
        yield out.take();
      }
    }
    return;
  }
  const rows = fieldsAt && new SpanRowsJson(trace.traceId, trace.spans, parts);
  for (let index = 0; index < trace.spans.length; index++) {
    if (index > 0) {
      out.byte(comma);
    }
    const clock = { deltaNano: plan.deltaNano(index), missingParent: plan.missingParent(index) };
    if (rows !== undefined && fieldsAt !== undefined) {
      rows.write(index, fieldsAt(index), clock);
    } else {
      out.text(writer.json(trace.spans.at(index) as Span, clock, keys));
    }
    if (out.isFull) {
      yield out.take();
    }
  }
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
  if (json !== "") {
    yield json;
  }
}
