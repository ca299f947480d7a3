import type { SpanList } from "storage/api";
import type { Attribute, AttributeValue, Span } from "wire/model";

/** The spans of a list. Only one span at a time is an object. */
export function* spansOf(spans: SpanList): Generator<Span> {
  for (let index = 0; index < spans.length; index++) {
    yield spans.at(index) as Span;
  }
}

/** Maximum number of characters in the texts of a part, because a part is written as one string. */
const maxPartCharacters = 1_000_000;

/**
 * Splits spans into parts. Only one part at a time consists of objects. A part ends at `spansPerPart` spans, or
 * earlier when its texts are long.
 */
export function* inParts(spans: Iterable<Span>, spansPerPart: number): Generator<Span[]> {
  let part: Span[] = [];
  let characters = 0;
  let resource: Span["resource"] | undefined;
  for (const span of spans) {
    part.push(span);
    characters += charactersOf(span);
    if (span.resource !== resource) {
      resource = span.resource;
      characters += lengthOf(resource.attributes);
    }
    if (part.length === spansPerPart || characters >= maxPartCharacters) {
      yield part;
      part = [];
      characters = 0;
    }
  }
  if (part.length > 0) {
    yield part;
  }
}

/** Like `inParts`, for one list. */
export function spansInParts(spans: SpanList, spansPerPart: number): Generator<Span[]> {
  return inParts(spansOf(spans), spansPerPart);
}

/** Characters of the texts that may be long; names of attributes and numbers are not counted. */
function charactersOf({ name, traceState, status, attributes, events }: Span): number {
  let sum = name.length + traceState.length + status.message.length + lengthOf(attributes);
  for (const event of events) {
    sum += event.name.length + lengthOf(event.attributes);
  }
  return sum;
}

function lengthOf(attributes: readonly Attribute[]): number {
  let sum = 0;
  for (const { value } of attributes) {
    sum += valueLength(value);
  }
  return sum;
}

function valueLength(value: AttributeValue): number {
  switch (value.type) {
    case "string":
    case "bytes":
      return value.value.length;
    case "array":
      return value.value.reduce((sum, one) => sum + valueLength(one), 0);
    case "kvlist":
      return lengthOf(value.value);
    default:
      return 0;
  }
}
