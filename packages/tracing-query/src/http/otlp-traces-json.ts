import type { Span } from "wire/model";
import { encodeTracesJson } from "wire/otlp";

/** Spans that are grouped by resource together: enough that few resources are named twice. */
const spansPerPart = 500;

const head = '{"resourceSpans":[';
const tail = "]}";

/** Spans as OTLP JSON in `{"result":…}`, in pieces; past some hundred spans a resource may come more than once. */
export function* otlpTracesJson(spans: readonly Span[]): Generator<string> {
  yield `{"result":${head}`;
  for (let first = 0; first < spans.length; first += spansPerPart) {
    const json = encodeTracesJson(spans.slice(first, first + spansPerPart), { formatAttribute: true });
    yield (first === 0 ? "" : ",") + json.slice(head.length, -tail.length);
  }
  yield `${tail}}`;
}
