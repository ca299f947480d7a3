import type { BinaryOperator, Field, FieldExpression, Static, TraceQlQuery } from "traceql";

/** The conditions of a tag search, which Tempo had before TraceQL. */
export interface TagSearch {
  readonly tags: ReadonlyMap<string, string>;
  /** Limits on the duration of the trace, in nanoseconds, inclusive. */
  readonly minDurationNano: bigint | undefined;
  readonly maxDurationNano: bigint | undefined;
}

/** Tags that look like attributes, but are intrinsic fields. */
const intrinsicTags: ReadonlyMap<string, Field> = new Map([
  ["name", { type: "intrinsic", name: "span:name" }],
  ["root.name", { type: "intrinsic", name: "trace:rootName" }],
  ["root.service.name", { type: "intrinsic", name: "trace:rootService" }],
]);

/** Attributes that match by a part of the value, in any case. Other attributes must match as a whole. */
const soughtInPart: ReadonlySet<string> = new Set([
  "service.name",
  "cluster",
  "namespace",
  "pod",
  "container",
  "k8s.cluster.name",
  "k8s.namespace.name",
  "k8s.pod.name",
  "k8s.container.name",
  "http.method",
  "http.url",
]);

/**
 * The same search as TraceQL: traces with a span that has all tags. `service.name`, `name` and some others
 * match by a part of the value, other tags by the whole value. The tags `error` and `status.code` mean the
 * span's status. Source: Tempo's documentation of tag based search
 */
export function tagSearchQuery({ tags, minDurationNano, maxDurationNano }: TagSearch): TraceQlQuery {
  const conditions = [...tags].map(([key, value]) => tagCondition(key, value));
  const ofTrace: Field = { type: "intrinsic", name: "trace:duration" };
  if (minDurationNano !== undefined) {
    conditions.push(compared(ofTrace, ">=", { type: "duration", value: minDurationNano }));
  }
  if (maxDurationNano !== undefined) {
    conditions.push(compared(ofTrace, "<=", { type: "duration", value: maxDurationNano }));
  }
  const [first = { type: "static", value: { type: "bool", value: true } }, ...rest] = conditions;
  const condition = rest.reduce((left, right) => joined(left, "&&", right), first);
  return {
    type: "search",
    pipeline: { type: "pipeline", stages: [{ type: "filter", condition }] },
    hints: [],
  };
}

function tagCondition(key: string, text: string): FieldExpression {
  if (key === "status.code" || (key === "error" && (text === "true" || text === "false"))) {
    return statusCondition(key, text);
  }
  const intrinsic = intrinsicTags.get(key);
  if (intrinsic !== undefined) {
    return containing(intrinsic, text);
  }
  if (key === "service.name") {
    return containing({ type: "attribute", scope: "resource", name: key, ofParent: false }, text);
  }
  const field: Field = { type: "attribute", scope: "any", name: key, ofParent: false };
  return soughtInPart.has(key)
    ? containing(field, text)
    : valuesOf(text)
        .map((value) => compared(field, "=", value))
        .reduce((left, right) => joined(left, "||", right));
}

function statusCondition(key: string, text: string): FieldExpression {
  const status: Field = { type: "intrinsic", name: "span:status" };
  if (key === "error") {
    return compared(status, text === "true" ? "=" : "!=", { type: "status", value: "error" });
  }
  const code = (["unset", "ok", "error"] as const).find((one) => one === text);
  return code === undefined
    ? { type: "static", value: { type: "bool", value: false } }
    : compared(status, "=", { type: "status", value: code });
}

/** The values that a text can mean: the text itself, and the same text as a number or boolean. */
function valuesOf(text: string): Static[] {
  const values: Static[] = [{ type: "string", value: text }];
  if (/^-?[0-9]{1,18}$/.test(text)) {
    values.push({ type: "int", value: BigInt(text) });
  } else if (/^-?[0-9]+\.[0-9]+$/.test(text)) {
    values.push({ type: "float", value: Number(text) });
  } else if (text === "true" || text === "false") {
    values.push({ type: "bool", value: text === "true" });
  }
  return values;
}

/** Matches a part of the value, in any case. */
function containing(field: Field, text: string): FieldExpression {
  const pattern = `(?i).*${text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}.*`;
  return compared(field, "=~", { type: "string", value: pattern });
}

function compared(field: Field, operator: BinaryOperator, value: Static): FieldExpression {
  return { type: "binary", operator, left: field, right: { type: "static", value } };
}

function joined(left: FieldExpression, operator: "&&" | "||", right: FieldExpression): FieldExpression {
  return { type: "binary", operator, left, right };
}
