import type { SpanFilter } from "storage/api";
import type { BinaryOperation, FieldExpression, Static, TraceQlQuery } from "traceql";
import { QueryError } from "../query-error.ts";
import { parseQuery } from "./parse-query.ts";

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * What of an unfinished query spans can be filtered by, while someone types: `{ resource.cluster = "a" && .b = }`. Its
 * equalities, and bounds of the duration, apart by `&&`; of everything else, and of what is not a filter, nothing, so
 * that more is offered rather than less.
 * Source: Tempo's documentation of the API, "Filtered tag values"
 */
export function tagFilter(text: string): SpanFilter {
  const inner = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1];
  const whole = conditionOf(text);
  const filter: Writable<SpanFilter> = {};
  const tags = new Map<string, string>();
  const conditions =
    whole !== undefined ? [whole] : (inner ?? "").split("&&").map((part) => conditionOf(`{ ${part} }`));
  for (const condition of conditions) {
    if (condition !== undefined) {
      addCondition(condition, filter, tags);
    }
  }
  return tags.size === 0 ? filter : { ...filter, tags };
}

/** Of a query that is one filter and nothing else. */
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

function addCondition(
  condition: FieldExpression,
  filter: Writable<SpanFilter>,
  tags: Map<string, string>,
): void {
  if (condition.type !== "binary") {
    return;
  }
  if (condition.operator === "&&") {
    addCondition(condition.left, filter, tags);
    addCondition(condition.right, filter, tags);
    return;
  }
  const { left, right } = condition;
  if (right.type === "static" && (left.type === "attribute" || left.type === "intrinsic")) {
    addComparison(condition, left, right.value, filter, tags);
  }
}

function addComparison(
  { operator }: BinaryOperation,
  field: Extract<FieldExpression, { type: "attribute" | "intrinsic" }>,
  value: Static,
  filter: Writable<SpanFilter>,
  tags: Map<string, string>,
): void {
  if (field.type === "attribute") {
    const text = textOf(value);
    if (operator !== "=" || text === undefined || field.ofParent || !isSought(field.scope)) {
      return;
    }
    if (field.scope === "resource" && field.name === "service.name") {
      filter.service = text;
    } else {
      tags.set(field.name, text);
    }
    return;
  }
  if (field.name === "span:duration" && value.type === "duration") {
    if (operator === ">" || operator === ">=") {
      filter.durationMinNano = value.value;
    } else if (operator === "<" || operator === "<=") {
      filter.durationMaxNano = value.value;
    }
  } else if (operator === "=" && field.name === "span:name" && value.type === "string") {
    filter.operation = value.value;
  } else if (operator === "=" && field.name === "span:kind" && value.type === "kind") {
    filter.spanKind = value.value;
  } else if (operator === "=" && field.name === "span:status" && value.type === "status") {
    if (value.value === "error") {
      filter.hasError = true;
    }
  }
}

/** The places where the store looks for a tag. */
function isSought(scope: string): boolean {
  return scope === "any" || scope === "span" || scope === "resource" || scope === "event";
}

function textOf(value: Static): string | undefined {
  switch (value.type) {
    case "string":
      return value.value;
    case "int":
    case "float":
    case "bool":
      return String(value.value);
    default:
      return undefined;
  }
}
