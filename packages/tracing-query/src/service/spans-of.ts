import type { SpanList } from "storage/api";
import type { Span } from "wire/model";

/** The spans of a list; one at a time is an object. */
export function* spansOf(spans: SpanList): Generator<Span> {
  for (let index = 0; index < spans.length; index++) {
    yield spans.at(index) as Span;
  }
}

/** The spans of a list in parts; one part at a time is objects. */
export function* spansInParts(spans: SpanList, spansPerPart: number): Generator<Span[]> {
  for (let first = 0; first < spans.length; first += spansPerPart) {
    const length = Math.min(spansPerPart, spans.length - first);
    yield Array.from({ length }, (_, index) => spans.at(first + index) as Span);
  }
}
