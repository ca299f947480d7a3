import { lookbacks, type SearchAddress } from "../../searches/search-address.ts";
import { tagText } from "../../searches/tag-text.ts";
import { isErrorSpan, tagText as tagOf } from "../../trace/span-facts.ts";
import type { Trace } from "../../trace/trace.ts";
import type { ApiAttribute } from "../../trace/trace-schema.ts";
import { attributeCondition, traceQlOfFields } from "../search/traceql-fields.ts";

/** A property of a span that other spans may share. */
export interface Trait {
  /** Id, unique among the traits of a span: `service`, `span http.method`. */
  id: string;
  /** Kind of property; `span` and `resource` are the owners of an attribute. */
  kind: "service" | "operation" | "kind" | "failed" | "span" | "resource";
  /** The attribute's key, or the name of the trait. */
  name: string;
  /** The shared value, as text. */
  value: string;
  /** The query service's name for the attribute's type. */
  type: string;
}

/** Maximum number of letters of a searchable value, because the value goes into the address. */
const mostLetters = 500;
/** Distance in microseconds searched before and after a span that is older than the longest `lookback`. */
const besideUs = 1_800e6;
/** Attributes with which the query service repeats fields of the span. These fields are traits already. */
const facts = /^(error|span\.kind|otel\.status_(code|description)|internal\.|w3c\.tracestate)/;

/**
 * The traits of a span to search for: its service, operation, kind, failure, and attributes that are short
 * enough.
 */
export function traitsOf(trace: Trace, at: number): readonly Trait[] {
  const span = trace.spans[at];
  if (span === undefined) {
    return [];
  }
  const kind = tagOf(span, "span.kind");
  const own: Trait[] = [
    trait("service", "service", trace.services[trace.service[at] as number] ?? ""),
    trait("operation", "operation", span.operationName),
  ];
  if (kind !== undefined) {
    own.push(trait("kind", "kind", kind));
  }
  if (isErrorSpan(span)) {
    own.push(trait("failed", "failed", "true"));
  }
  const seen = new Set<string>();
  const add = (scope: "span" | "resource") => (attribute: ApiAttribute) => {
    const { key, type } = attribute;
    const value = String(attribute.value);
    const id = `${scope} ${key}`;
    // A sender may repeat a key; a search compares the first value.
    if (seen.has(id) || facts.test(key) || value.length > mostLetters || type === "binary") {
      return;
    }
    seen.add(id);
    own.push({ id, kind: scope, name: key, value, type });
  };
  for (const attribute of span.tags ?? []) {
    add("span")(attribute);
  }
  for (const attribute of trace.processes[span.processID]?.tags ?? []) {
    add("resource")(attribute);
  }
  return own.filter(({ kind: one, value }) => value !== "" || one === "span" || one === "resource");
}

/** The ids of the traits chosen at first: service, operation, and failure. */
export function firstTraits(traits: readonly Trait[]): ReadonlySet<string> {
  return new Set(traits.filter(({ kind }) => /^(service|operation|failed)$/.test(kind)).map(({ id }) => id));
}

/**
 * TraceQL for the spans that have all traits: `{ resource.service.name = "cart" && name = "GET" &&
 * status = error }`.
 */
export function traceQlOfTraits(traits: readonly Trait[]): string {
  const fields = new Map(traits.map(({ kind, value }) => [kind, value]));
  const simple = traceQlOfFields({ service: fields.get("service"), operation: fields.get("operation") });
  const conditions = traits.flatMap((one) => {
    if (one.kind === "kind") {
      return [`kind = ${one.value}`];
    }
    if (one.kind === "failed") {
      return ["status = error"];
    }
    return one.kind === "span" || one.kind === "resource" ? [attributeCondition(one.kind, one)] : [];
  });
  if (conditions.length === 0) {
    return simple;
  }
  const first = simple === "{ }" ? "" : `${simple.slice(2, -2)} && `;
  return `{ ${first}${conditions.join(" && ")} }`;
}

/** Search fields for the traits, for a store without TraceQL: one service, and tags of any owner. */
export function fieldsOfTraits(
  traits: readonly Trait[],
): Pick<SearchAddress, "service" | "operation" | "tags"> {
  const fields = new Map(traits.map(({ kind, value }) => [kind, value]));
  const tags: Record<string, string> = {};
  for (const { kind, name, value } of traits) {
    if (kind === "failed") {
      tags.error = "true";
    } else if (kind === "kind") {
      tags["span.kind"] = value;
    } else if (kind === "span" || kind === "resource") {
      tags[name] ??= value;
    }
  }
  return {
    service: fields.get("service"),
    operation: fields.get("operation"),
    tags: Object.keys(tags).length === 0 ? undefined : tagText(tags),
  };
}

/**
 * A time range that contains the span: the shortest `lookback` of at least one hour, or for an older span
 * the half hours before and after its start.
 * @param startUs start of the span, microseconds since 1970; `nowUs` is the current time in the same unit
 */
export function timeAround(
  startUs: number,
  nowUs: number,
): { lookback: SearchAddress["lookback"]; start?: number; end?: number } {
  const fits = lookbacks.find(({ us }) => us >= 3_600e6 && startUs >= nowUs - us);
  if (fits !== undefined) {
    return { lookback: fits.value };
  }
  const start = Math.max(0, Math.round(startUs - besideUs));
  return { lookback: "custom", start, end: start + 2 * besideUs };
}

/** A trait that is not an attribute; the kind is also the id. */
function trait(kind: Trait["kind"], name: string, value: string): Trait {
  return { id: kind, kind, name, value, type: "string" };
}
