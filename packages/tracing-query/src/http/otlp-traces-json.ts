import type { PackedTrace, PartialReasons } from "storage/api";
import type { Span } from "wire/model";
import { encodeTracesJson } from "wire/otlp";
import { inParts, spansOf } from "../service/spans-of.ts";
import { partialFields } from "./envelope.ts";

/**
 * Maximum number of spans that are grouped by resource at once. A larger limit repeats fewer resources, but needs more
 * memory.
 */
const spansPerPart = 500;

const head = '{"resourceSpans":[';
const tail = "]}";

/**
 * Traces as OTLP JSON in `{"result":…}`, in pieces. With more than `spansPerPart` spans a resource may occur
 * more than once.
 */
export function* otlpTracesJson(
  traces: readonly PackedTrace[],
  reasons?: Pick<PartialReasons, "partial">,
): Generator<string> {
  yield `{"result":${head}`;
  let separator = "";
  for (const part of partsOf(traces)) {
    const json = encodeTracesJson(part, { likeQueryService: true });
    yield separator + json.slice(head.length, -tail.length);
    separator = ",";
  }
  yield `${tail}${partialFields(reasons?.partial)}}`;
}

/** A part may have spans of several traces; only one part at a time is in memory as objects. */
function partsOf(traces: readonly PackedTrace[]): Generator<Span[]> {
  return inParts(
    traces.values().flatMap(({ spans }) => spansOf(spans)),
    spansPerPart,
  );
}
