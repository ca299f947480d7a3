import { leadingRoot, type Trace } from "../trace/trace.ts";
import type { ApiAttribute } from "../trace/trace-schema.ts";
import { safeAddress } from "./safe-address.ts";
import type { LinkPattern } from "./ui-config.ts";

/** A link out of the app. */
export interface ValueLink {
  /** Address that `safeAddress` has accepted. */
  readonly url: string;
  /** Text of the link, with the values filled in. */
  readonly text: string;
}

/** Finds the value of a name in a pattern; undefined for an unknown name. */
type Lookup = (name: string) => string | undefined;

/** Matches `#{name}`, also with functions after the name: `#{startTime | epoch_micros_to_date_iso}`. */
const parameter = /#\{([^{}|]*)((?:\|[^{}]*)?)\}/g;

/**
 * Fills values into a template, as Jaeger's UI does: `https://logs.example/?id=#{traceID}` with a lookup
 * that knows `traceID`.
 * @param encode encodes each value before insertion: `encodeURIComponent` for addresses
 * @returns undefined when a value is missing
 */
export function fillIn(
  template: string,
  lookup: Lookup,
  encode = (value: string) => value,
): string | undefined {
  let isComplete = true;
  const filled = template.replace(parameter, (_, name: string, functions: string) => {
    const value = lookup(name.trim());
    if (value === undefined) {
      isComplete = false;
      return "";
    }
    return encode(functions.split("|").slice(1).reduce(applied, value));
  });
  return isComplete ? filled : undefined;
}

/**
 * Applies one function of Jaeger's UI. An unknown function changes nothing. `pad_start 16 0` on `abc` gives
 * `0000000000000abc`.
 */
function applied(value: string, call: string): string {
  const [name, ...parameters] = call.trim().split(/\s+/);
  const number = Number(value);
  switch (name) {
    case "epoch_micros_to_date_iso":
      return Math.abs(number) <= mostMicros ? new Date(number / 1_000).toISOString() : value;
    case "pad_start":
      return value.padStart(Math.min(Number(parameters[0]) || 0, 1_000), parameters[1] ?? " ");
    case "add":
      return Number.isFinite(number) ? String(number + (Number(parameters[0]) || 0)) : value;
    default:
      return value;
  }
}

/** The latest time that JavaScript knows, in microseconds since 1970. */
const mostMicros = 8.64e18;

/** The owner of an attribute: the span, its resource, or an event. */
export type AttributePlace = "tags" | "process" | "logs";

/** The newer name of each place. */
const newNames = { tags: "attributes", process: "resource", logs: "events", traces: "traces" } as const;

/** True for a condition that is absent, equal to the value, or a list that holds it. */
function allows<T>(condition: T | readonly T[] | undefined, value: T): boolean {
  return condition === undefined || [condition].flat().includes(value);
}

function isAt({ type }: LinkPattern, place: AttributePlace | "traces"): boolean {
  return allows(type, place) || allows(type, newNames[place]);
}

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
 * Values for patterns of a span. The attribute's own list comes first, then facts about the span. Then come the attributes
 * of the span, its resource and its ancestors, and last facts about the trace. `trace.` before a name asks for the trace alone.
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

/** `startTime` and `duration` in microseconds. */
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

/** The link of a pattern; empty when a value is missing or the address is not safe. */
function linkOf(pattern: LinkPattern, lookup: Lookup): ValueLink[] {
  const filled = fillIn(pattern.url, lookup, encodeURIComponent);
  const url = filled === undefined ? undefined : safeAddress(filled);
  const text = fillIn(pattern.text, lookup);
  return url === undefined || text === undefined ? [] : [{ url, text }];
}
