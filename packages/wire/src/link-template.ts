import { safeAddress } from "./safe-address.ts";

/** A place of links. Jaeger's UI has two names for each list of attributes, an old and a new one. */
type LinkPlace = "tags" | "attributes" | "process" | "resource" | "logs" | "events" | "traces";
type Scalar = string | number | boolean;

/** A link template for values of spans or traces, from `linkPatterns` of the UI's configuration. */
export interface LinkPattern {
  /** Attributes of spans or of their resource, fields of events, or the trace itself. Absent: all of them. */
  readonly type?: LinkPlace | readonly LinkPlace[] | undefined;
  /** Attribute keys that get the link. Absent: all. The links of `traces` have none. */
  readonly key?: string | readonly string[] | undefined;
  /** Attribute values that get the link. Absent: all. */
  readonly value?: Scalar | readonly Scalar[] | undefined;
  /** Address of the link, with `#{name}` for values. */
  readonly url: string;
  /** Text of the link. */
  readonly text: string;
}

/** A link out of the app. */
export interface ValueLink {
  /** Address that `safeAddress` has accepted. */
  readonly url: string;
  /** Text of the link, with the values filled in. */
  readonly text: string;
}

/** Finds the value of a name in a pattern; undefined for an unknown name. */
export type Lookup = (name: string) => string | undefined;

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
export function allows<T>(condition: T | readonly T[] | undefined, value: T): boolean {
  return condition === undefined || [condition].flat().includes(value);
}

export function isAt({ type }: LinkPattern, place: AttributePlace | "traces"): boolean {
  return allows(type, place) || allows(type, newNames[place]);
}

/** The link of a pattern; empty when a value is missing or the address is not safe. */
export function linkOf(pattern: LinkPattern, lookup: Lookup): ValueLink[] {
  const filled = fillIn(pattern.url, lookup, encodeURIComponent);
  const url = filled === undefined ? undefined : safeAddress(filled);
  const text = fillIn(pattern.text, lookup);
  return url === undefined || text === undefined ? [] : [{ url, text }];
}
