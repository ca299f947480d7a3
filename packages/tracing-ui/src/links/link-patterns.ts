import {
  type AttributePlace,
  allows,
  isAt,
  type LinkPattern,
  type Lookup,
  linkOf,
  type ValueLink,
} from "wire/link-template";
import { leadingRoot, type Trace } from "../trace/trace.ts";
import type { ApiAttribute } from "../trace/trace-schema.ts";

/** The links of a whole trace, by the patterns of type `traces`. */
export function traceLinks(patterns: readonly LinkPattern[], trace: Trace): ValueLink[] {
  const facts = factsOf(trace);
  return patterns.filter((each) => isAt(each, "traces")).flatMap((pattern) => linkOf(pattern, facts));
}

/**
 * The links of one attribute.
 * @param around finds other values that a pattern may name: of the same list, the span, its ancestors, and the trace
 */
export function attributeLinks(
  patterns: readonly LinkPattern[],
  place: AttributePlace,
  { key, value }: ApiAttribute,
  around: Lookup,
): ValueLink[] {
  const lookup = (name: string) => (name === key ? String(value) : around(name));
  return patterns
    .filter((each) => isAt(each, place) && allows(each.key, key) && allows<unknown>(each.value, value))
    .flatMap((pattern) => linkOf(pattern, lookup));
}

/**
 * Values for patterns of a span. The attribute's own list comes first, then facts about the span. Then come the
 * attributes of the span, its resource and its ancestors, and last facts about the trace. A name with the prefix
 * `trace.` reads the facts about the trace first.
 * @param at index of the span
 * @param own the list that the linked attribute is in
 */
export function lookupOf(trace: Trace, at: number, own: readonly ApiAttribute[]): Lookup {
  const facts = factsOf(trace);
  return (name) =>
    (name.startsWith("trace.") ? facts(name.slice("trace.".length)) : undefined) ??
    valueIn(own, name) ??
    spanFact(trace, at, name) ??
    attributeUpwards(trace, at, name) ??
    facts(name);
}

function valueIn(list: readonly ApiAttribute[], name: string): string | undefined {
  const found = list.find(({ key }) => key === name);
  return found === undefined ? undefined : String(found.value);
}

/** A fact about a span by its name. `startTime` and `duration` are in microseconds. */
function spanFact(trace: Trace, at: number, name: string): string | undefined {
  const span = trace.spans[at];
  switch (name) {
    case "spanID":
      return span?.spanID;
    case "operationName":
      return span?.operationName;
    case "startTime":
    case "duration":
      return span === undefined ? undefined : String(span[name]);
    case "serviceName":
      return trace.services[trace.service[at] as number];
    default:
      return undefined;
  }
}

/** The value at the span, else at its nearest ancestor that has one. */
function attributeUpwards(trace: Trace, at: number, name: string): string | undefined {
  for (let each = at; each >= 0; each = trace.parent[each] as number) {
    const span = trace.spans[each];
    const process = span && trace.processes[span.processID];
    const found = valueIn(span?.tags ?? [], name) ?? valueIn(process?.tags ?? [], name);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Lookup for values of the trace: `traceID`, `traceName`, and `startTime`, `endTime`, `duration` in microseconds. */
function factsOf(trace: Trace): Lookup {
  return (name) => {
    switch (name) {
      case "traceID":
        return trace.traceId;
      case "startTime":
        return String(trace.startUs);
      case "endTime":
        return String(trace.startUs + trace.durationUs);
      case "duration":
        return String(trace.durationUs);
      case "traceName": {
        const root = leadingRoot(trace) ?? 0;
        return `${trace.services[trace.service[root] as number] ?? ""}: ${trace.spans[root]?.operationName ?? ""}`;
      }
      default:
        return undefined;
    }
  };
}
