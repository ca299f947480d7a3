import type { SpanFilter } from "storage/api";
import type { FieldExpression, Static, TraceQlQuery } from "traceql";
import { QueryError } from "../query-error.ts";
import { parseQuery } from "../service/parse-query.ts";

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The spans that completion reads. */
export interface TagFilter {
  readonly filter: SpanFilter;
  /** Absent when `filter` covers all conditions. */
  readonly condition?: FieldExpression;
}

/**
 * The finished conditions of a query that someone is typing: the first condition of
 * `{ resource.cluster = "a" && .b = }`. A query that is not a single filter gives no condition, so that
 * completion offers too many names rather than too few. Source: Tempo's documentation of the API, "Filtered tag values"
 */
export function tagFilter(text: string): TagFilter {
  const whole = conditionOf(text);
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1] ?? "";
  const parts = whole === undefined ? inner.split("&&").map((part) => conditionOf(`{ ${part} }`)) : [whole];
  const filter: Writable<SpanFilter> = {};
  const tags = new Map<string, string>();
  let condition: FieldExpression | undefined;
  for (const term of parts.flatMap((part) => (part === undefined ? [] : termsOf(part)))) {
    if (!isSaid(term, filter, tags)) {
      condition =
        condition === undefined ? term : { type: "binary", operator: "&&", left: condition, right: term };
    }
  }
  return {
    filter: tags.size === 0 ? filter : { ...filter, tags },
    ...(condition === undefined ? {} : { condition }),
  };
}

/** The condition of a query that is exactly one filter. */
function conditionOf(text: string): FieldExpression | undefined {
  let query: TraceQlQuery;
  try {
    query = parseQuery(text);
  } catch (error) {
    if (error instanceof QueryError) {
      return undefined;
    }
    throw error;
  }
  const [stage, ...others] = query.type === "search" ? query.pipeline.stages : [];
  return others.length === 0 && stage?.type === "filter" ? stage.condition : undefined;
}

/** Lists the operands of `&&`. */
function termsOf(condition: FieldExpression): FieldExpression[] {
  return condition.type === "binary" && condition.operator === "&&"
    ? [...termsOf(condition.left), ...termsOf(condition.right)]
    : [condition];
}

/**
 * Moves a condition into the fields that the store answers fast: the store counts by service and operation, and has
 * indexes of tags.
 * @returns true when the fields fully express the term
 */
function isSaid(term: FieldExpression, filter: Writable<SpanFilter>, tags: Map<string, string>): boolean {
  if (term.type === "static") {
    return term.value.type === "bool" && term.value.value;
  }
  if (term.type !== "binary" || term.operator !== "=" || term.right.type !== "static") {
    return false;
  }
  const { left } = term;
  const text = textOf(term.right.value);
  if (text === undefined) {
    return false;
  }
  if (left.type === "intrinsic" && left.name === "span:name" && filter.operation === undefined) {
    filter.operation = text;
    return text !== "";
  }
  if (left.type !== "attribute" || left.ofParent) {
    return false;
  }
  if (left.scope === "resource" && left.name === "service.name" && filter.service === undefined) {
    filter.service = text;
    return text !== "";
  }
  if (isSought(left.scope) && left.name !== "service.name") {
    tags.set(left.name, text);
  }
  return false;
}

/** True for scopes in which the store searches for a tag. */
function isSought(scope: string): boolean {
  return scope === "any" || scope === "span" || scope === "resource" || scope === "event";
}

function textOf(value: Static): string | undefined {
  return value.type === "string" ? value.value : undefined;
}
