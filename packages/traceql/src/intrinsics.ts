import type { IntrinsicName } from "./syntax-tree.ts";

/**
 * Type of a value, if the query determines it.
 *
 * - `attribute`: the type is unknown and can differ between spans, so every operator accepts the value
 * - `int`, `float`, `duration`: numbers, which can all be compared with each other
 * - `string`: a text; `=~` and `!~` only accept texts
 * - `bool`: true or false; only a bool or an attribute can be the condition of a filter
 * - `status`, `kind`: named values, which can only be compared with `=` and `!=`
 */
export type ValueType = "attribute" | "int" | "float" | "duration" | "string" | "bool" | "status" | "kind";

/** Accepted spellings of each intrinsic. The first spelling is used in printed queries, answers and labels. */
const texts: Readonly<Record<IntrinsicName, readonly string[]>> = {
  "span:duration": ["duration", "span:duration"],
  "span:name": ["name", "span:name"],
  "span:status": ["status", "span:status"],
  "span:statusMessage": ["statusMessage", "span:statusMessage"],
  "span:kind": ["kind", "span:kind"],
  "span:id": ["span:id"],
  "span:parentID": ["span:parentID"],
  "span:childCount": ["span:childCount"],
  "trace:duration": ["traceDuration", "trace:duration"],
  "trace:rootName": ["rootName", "trace:rootName"],
  "trace:rootService": ["rootServiceName", "trace:rootService"],
  "trace:id": ["trace:id"],
  "event:name": ["event:name"],
  "event:timeSinceStart": ["event:timeSinceStart"],
  "link:traceID": ["link:traceID"],
  "link:spanID": ["link:spanID"],
  "instrumentation:name": ["instrumentation:name"],
  "instrumentation:version": ["instrumentation:version"],
  nestedSetLeft: ["nestedSetLeft"],
  nestedSetRight: ["nestedSetRight"],
  nestedSetParent: ["nestedSetParent"],
};

/** Types of intrinsics. An intrinsic without an entry in this table is a string. */
const types: Readonly<Partial<Record<IntrinsicName, ValueType>>> = {
  "span:duration": "duration",
  "span:status": "status",
  "span:kind": "kind",
  "span:childCount": "int",
  "trace:duration": "duration",
  "event:timeSinceStart": "duration",
  nestedSetLeft: "int",
  nestedSetRight: "int",
  nestedSetParent: "int",
};

const byText: ReadonlyMap<string, IntrinsicName> = new Map(
  Object.entries(texts).flatMap(([name, ways]) => ways.map((way) => [way, name as IntrinsicName])),
);

/** The intrinsic with this spelling, such as `duration` or `span:duration`; undefined for other texts. */
export function intrinsicOf(text: string): IntrinsicName | undefined {
  return byText.get(text);
}

/** Tempo's name of an intrinsic. */
export function intrinsicText(name: IntrinsicName): string {
  return texts[name][0] ?? name;
}

/** The type of an intrinsic's value, which is the same for every span. */
export function intrinsicType(name: IntrinsicName): ValueType {
  return types[name] ?? "string";
}

/** True for intrinsics of events and links, because a span may have no events or links, or several. */
export function isRepeated(name: IntrinsicName): boolean {
  return name.startsWith("event:") || name.startsWith("link:");
}
