import type { PackedTrace, SpanList } from "storage/api";
import type { ApiV2Span } from "wire/api-v2";
import type { Span } from "wire/model";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { adjustedTogether, sentSpans } from "../service/adjusters/adjusted-spans.ts";
import { planClocks } from "../service/adjusters/clock-plan.ts";
import { ProcessKeys } from "./process-keys.ts";
import { JsonBytes } from "./rows-json/json-bytes.ts";
import { SpanRowsJson } from "./rows-json/span-rows-json.ts";
import { TagSteps } from "./rows-json/tag-steps.ts";
import { ShownSpanJson } from "./shown-span-json.ts";
import { spanJson, traceHead, traceTail } from "./trace-json.ts";

/** Pieces are about this long: long enough to be cheap to send, short enough not to hold up other requests. */
const pieceLength = 65_536;

/** Those of bytes cost less, some two thirds of a millisecond. */
const bytesLength = 262_144;

const comma = ",".charCodeAt(0);

/** A trace that is made JSON while it is sent. */
export interface ShownTrace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** Whether its spans are too many for objects. */
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
): AsyncGenerator<string | Uint8Array> {
  const parts =
    options === undefined
      ? undefined
      : {
          writer: new ShownSpanJson(options),
          out: new JsonBytes(pieceLength, bytesLength),
          steps: new TagSteps(),
        };
  let separator = "[";
  for (const { traceId, isLarge, trace } of traces) {
    const head = separator + traceHead(traceId);
    yield head;
    if (isLarge) yield "";
    separator = ",";
    const keys = new ProcessKeys(parts?.writer.processJsonOf);
    const packed = await trace;
    yield* parts === undefined || options === undefined
      ? apiSpansJson(sentSpans(packed), keys)
      : adjustedJson(packed, isLarge, options, { ...parts, keys });
    yield traceTail(keys, []);
  }
  yield separator === "[" ? "[]" : "]";
}

/** What traces of one answer share, and the keys of one of them. */
interface Parts {
  readonly writer: ShownSpanJson;
  readonly out: JsonBytes;
  readonly steps: TagSteps;
  readonly keys: ProcessKeys;
}

async function* adjustedJson(
  trace: PackedTrace,
  isLarge: boolean,
  options: AdjustOptions,
  parts: Parts,
): AsyncGenerator<string | Uint8Array> {
  const { writer, keys, out } = parts;
  // What spans of one trace share pays for few of them only as objects.
  const spans = isLarge ? trace.spans : asObjects(trace.spans);
  const fieldsAt = isLarge ? trace.spans.fieldsAt?.bind(trace.spans) : undefined;
  const plan = await planClocks(spans, options.maxClockSkewNano, writer.processes);
  if (plan === undefined) {
    yield* apiSpansJson(adjustedTogether(trace, options), keys);
    return;
  }
  const clockOf = (index: number) => ({
    deltaNano: plan.deltaNano(index),
    missingParent: plan.missingParent(index),
  });
  if (fieldsAt !== undefined) {
    const rows = new SpanRowsJson(trace.traceId, spans, parts);
    for (let index = 0; index < spans.length; index++) {
      if (index > 0) out.byte(comma);
      rows.write(index, fieldsAt(index), clockOf(index));
      if (out.isFull) yield out.take();
    }
    if (out.length > 0) yield out.take();
    return;
  }
  let json = "";
  for (let index = 0; index < spans.length; index++) {
    if (index > 0) json += ",";
    json += writer.json(spans.at(index) as Span, clockOf(index), keys);
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
