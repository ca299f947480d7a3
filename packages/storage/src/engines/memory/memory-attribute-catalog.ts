import { type Attribute, hasParentLink, type Span } from "wire/model";
import { attributeText } from "wire/rows";
import {
  type AttributeCatalog,
  type AttributeName,
  type AttributeNamesQuery,
  type AttributeScope,
  type AttributeValuesQuery,
  attributeScopes,
  type CatalogValue,
  type CatalogValueType,
  maxCatalogValueBytes,
} from "../../api/attribute-catalog.ts";
import { checkNames, checkValues, fixedValues, intrinsicNames } from "../../api/checked-catalog.ts";
import { tenantOf } from "../../api/checked-query.ts";
import { type IntrinsicSource, intrinsics } from "../../api/intrinsics.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { spanMatches } from "./span-matches.ts";
import type { StoredTenants } from "./stored-tenants.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";
import { spansOfCondition } from "./traceql/spans-of-condition.ts";

interface Seen {
  readonly type: CatalogValueType;
  readonly value: string;
}

/** Computes each list from all stored spans. */
export class MemoryAttributeCatalog implements AttributeCatalog {
  readonly #stored: StoredTenants;

  constructor(stored: StoredTenants) {
    this.#stored = stored;
  }

  async names(query: AttributeNamesQuery, options: ReadOptions = {}): Promise<AttributeName[]> {
    checkNames(query);
    const spans = [...this.#spans(query, options)];
    const { scope: only, prefix = "", limit } = query;
    return attributeScopes.flatMap((scope): AttributeName[] => {
      if (only !== undefined && only !== scope) {
        return [];
      }
      if (scope === "intrinsic") {
        return intrinsicNames(query).map((name) => ({ scope, name }));
      }
      const names = spans.flatMap((span) => namesOf(span, scope)).filter((name) => name.startsWith(prefix));
      const frequent = byCount(names, (name) => name).slice(0, limit);
      return frequent.map(({ item: name }) => ({ scope, name })).sort((a, b) => compareTexts(a.name, b.name));
    });
  }

  async values(query: AttributeValuesQuery, options: ReadOptions = {}): Promise<CatalogValue[]> {
    checkValues(query);
    throwIfAborted(options.signal);
    const fixed = fixedValues(query);
    if (fixed !== undefined) {
      return fixed;
    }
    const { scope, name, prefix = "", limit } = query;
    const seen: Seen[] = [];
    for (const span of this.#spans(query, options)) {
      seen.push(...valuesOf(span, scope, name));
    }
    const wanted = seen.filter(
      ({ value }) => value.startsWith(prefix) && Buffer.byteLength(value) <= maxCatalogValueBytes,
    );
    return byCount(wanted, ({ type, value }) => `${type} ${value}`)
      .slice(0, limit)
      .map(({ item, count }) => ({ ...item, count }));
  }

  *#spans(
    { range, filter = {}, condition }: Pick<AttributeValuesQuery, "range" | "filter" | "condition">,
    options: ReadOptions,
  ): Generator<Span> {
    throwIfAborted(options.signal);
    const query = {
      ...filter,
      startTimeMinUnixNano: range.startUnixNano,
      startTimeMaxUnixNano: range.endUnixNano,
      limit: 1,
    };
    const stored = this.#stored.tracesOf(tenantOf(options));
    const spans =
      condition === undefined ? stored.spans() : spansOfCondition(stored.traces(), condition, range);
    for (const span of spans) {
      if (spanMatches(span, query)) {
        yield span;
      }
    }
  }
}

/** Sorted by count, largest first, then by key. */
function byCount<T>(items: readonly T[], keyOf: (item: T) => string): { item: T; count: number }[] {
  const counts = new Map<string, { item: T; count: number }>();
  for (const item of items) {
    const counted = counts.get(keyOf(item));
    if (counted === undefined) {
      counts.set(keyOf(item), { item, count: 1 });
    } else {
      counted.count++;
    }
  }
  return [...counts.entries()]
    .sort(([one, a], [other, b]) => b.count - a.count || compareTexts(one, other))
    .map(([, counted]) => counted);
}

function compareTexts(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function attributesOf(span: Span, scope: AttributeScope): readonly Attribute[] {
  switch (scope) {
    case "span":
      return span.attributes;
    case "resource":
      return span.resource.attributes;
    case "event":
      return span.events.flatMap(({ attributes }) => attributes);
    case "link":
      return span.links.flatMap(({ attributes }) => attributes);
    case "instrumentation":
      return span.scope.attributes;
    case "intrinsic":
      return [];
  }
}

/** Names of a span's attributes. Resources of the older span model have a service, but no `service.name` attribute. */
function namesOf(span: Span, scope: AttributeScope): string[] {
  const keys = attributesOf(span, scope).map(({ key }) => key);
  return scope === "resource" ? ["service.name", ...keys.filter((key) => key !== "service.name")] : keys;
}

const types = { string: "string", bool: "bool", int: "int", double: "float" } as const;

function valuesOf(span: Span, scope: AttributeScope, name: string): Seen[] {
  if (scope === "intrinsic") {
    return textsOf(span, intrinsics.get(name)).map((value) => ({ type: "string", value }));
  }
  if (scope === "resource" && name === "service.name") {
    return [{ type: "string", value: span.resource.serviceName }];
  }
  return attributesOf(span, scope).flatMap(({ key, value }) => {
    const type = Object.hasOwn(types, value.type) ? types[value.type as keyof typeof types] : undefined;
    return key === name && type !== undefined ? [{ type, value: attributeText(value) }] : [];
  });
}

function textsOf(span: Span, source: IntrinsicSource | undefined): string[] {
  const isRoot = span.parentSpanId === "" && !hasParentLink(span);
  switch (source) {
    case "name":
      return [span.name];
    case "statusMessage":
      return unlessEmpty(span.status.message);
    case "rootName":
      return isRoot ? [span.name] : [];
    case "rootService":
      return isRoot ? [span.resource.serviceName] : [];
    case "eventName":
      return span.events.flatMap(({ name }) => unlessEmpty(name));
    case "scopeName":
      return unlessEmpty(span.scope.name);
    case "scopeVersion":
      return unlessEmpty(span.scope.version);
    default:
      return [];
  }
}

function unlessEmpty(text: string): string[] {
  return text === "" ? [] : [text];
}
