import type { PackedTrace, PartialReasons } from "storage/api";
import type { Span } from "wire/model";
import { encodeTracesJson } from "wire/otlp";
import { spansOf } from "../service/spans-of.ts";
import { partialFields } from "./envelope.ts";

/** Spans that are grouped by resource together: enough that few resources are named twice. */
const spansPerPart = 500;

const head = '{"resourceSpans":[';
const tail = "]}";

/** Traces as OTLP JSON in `{"result":…}`, in pieces; past some hundred spans a resource may come more than once. */
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

/** Spans of several traces may be in one part; no more of them are objects. */
function* partsOf(traces: readonly PackedTrace[]): Generator<Span[]> {
  let part: Span[] = [];
  for (const { spans } of traces) {
    for (const span of spansOf(spans)) {
      part.push(span);
      if (part.length === spansPerPart) {
        yield part;
        part = [];
      }
    }
  }
  if (part.length > 0) {
    yield part;
  }
}
