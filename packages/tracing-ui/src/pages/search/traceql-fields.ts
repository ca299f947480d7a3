import { parseDuration } from "../../format/parse-duration.ts";
import { parseTagText, tagText } from "../../searches/tag-text.ts";

/** The simple fields of a search: one span must meet all conditions. */
export interface SimpleFields {
  /** Name of the service; absent: all services. */
  service?: string | undefined;
  /** Name of the operation; absent: all operations. */
  operation?: string | undefined;
  /** Tags as typed: `error=true`, or a JSON object. */
  tags?: string | undefined;
  /** Minimum duration in Go's format: `1.5s`. */
  minDuration?: string | undefined;
  /** Maximum duration in Go's format. */
  maxDuration?: string | undefined;
}

/**
 * Converts fields to a TraceQL spanset, `{ resource.service.name = "cart" && duration >= 5ms }`. Values of
 * tags that look like numbers or booleans become numbers or booleans.
 * @returns `{ }` (all spans) when no field is set; unreadable tags are left out
 */
export function traceQlOfFields(fields: SimpleFields): string {
  const conditions: string[] = [];
  if (fields.service) {
    conditions.push(`resource.service.name = ${quoted(fields.service)}`);
  }
  if (fields.operation) {
    conditions.push(`name = ${quoted(fields.operation)}`);
  }
  const tags = parseTagText(fields.tags ?? "");
  for (const [key, value] of tags.ok ? Object.entries(tags.tags) : []) {
    conditions.push(traceQlCondition("", key, value));
  }
  if (fields.minDuration) {
    conditions.push(`duration >= ${fields.minDuration.trim()}`);
  }
  if (fields.maxDuration) {
    conditions.push(`duration <= ${fields.maxDuration.trim()}`);
  }
  return conditions.length === 0 ? "{ }" : `{ ${conditions.join(" && ")} }`;
}

/**
 * A condition on an attribute. The form of the value decides its type.
 * @param scope `span`, `resource` …; "" for any scope
 */
export function traceQlCondition(scope: string, key: string, value: string): string {
  if (key === "error" && value === "true") {
    return "status = error";
  }
  if (key === "error" && value === "false") {
    return "status != error";
  }
  if (key === "span.kind" && /^(server|client|internal|producer|consumer)$/.test(value)) {
    return `kind = ${value}`;
  }
  if (key === "otel.status_code" && /^(OK|ERROR)$/.test(value)) {
    return `status = ${value.toLowerCase()}`;
  }
  const intrinsic = textsOfSpan.get(key);
  return intrinsic === undefined
    ? `${attributeName(scope, key)} = ${looksTyped(value) ? value : quoted(value)}`
    : `${intrinsic} = ${quoted(value)}`;
}

/** TraceQL names of tags that the query service adds for span fields that are not attributes. */
const textsOfSpan: ReadonlyMap<string, string> = new Map([
  ["otel.scope.name", "instrumentation:name"],
  ["otel.scope.version", "instrumentation:version"],
  ["otel.status_description", "statusMessage"],
]);
/** The inverse of `textsOfSpan`, with both TraceQL names of the status message. */
const tagsOfTexts: ReadonlyMap<string, string> = new Map([
  ...[...textsOfSpan].map(([tag, name]): [string, string] => [name, tag]),
  ["span:statusMessage", "otel.status_description"],
]);

/** A condition on an attribute of an existing span. @param type type name of the query service: `int64`, `bool` … */
export function attributeCondition(
  scope: string,
  { name, value, type }: { name: string; value: string; type: string },
): string {
  const intrinsic = scope === "span" && type === "string" ? textsOfSpan.get(name) : undefined;
  if (intrinsic !== undefined) {
    return `${intrinsic} = ${quoted(value)}`;
  }
  const literal =
    type === "bool" ||
    (type === "int64" && /^-?\d{1,19}$/.test(value)) ||
    (type === "float64" && looksTyped(value));
  return `${attributeName(scope, name)} = ${literal ? value : quoted(value)}`;
}

/** An attribute in TraceQL syntax, with quotes only when needed. */
export function attributeName(scope: string, key: string): string {
  return `${scope}.${/^[\p{L}\p{N}_./:-]+$/u.test(key) ? key : quoted(key)}`;
}

/**
 * The inverse of `traceQlOfFields`.
 * @param loose also accepts conditions that fields cannot express exactly: attributes with a scope become plain tags,
 *   and so do texts that look like numbers. Use it to show similar spans, not to edit the same query
 * @returns undefined for a query that fields cannot express
 */
export function fieldsOfTraceQl(text: string, loose = false): SimpleFields | undefined {
  const inner = /^\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1];
  if (inner === undefined) {
    return undefined;
  }
  const fields: SimpleFields = {};
  const tags: Record<string, string> = {};
  if (inner.trim() === "" || inner.trim() === "true") {
    return fields;
  }
  const condition =
    /\s*((?:[\p{L}_][\p{L}\p{N}_:]*)?(?:\.(?:"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_./:-]+))?)\s*(=|!=|>=|<=|>|<)\s*("(?:[^"\\]|\\.)*"|`[^`]*`|[\p{L}\p{N}.+-]+)\s*(&&|$)/uy;
  while (condition.lastIndex < inner.length) {
    const match = condition.exec(inner);
    if (match === null) {
      return undefined;
    }
    const [, left, operator, right, joint] = match as unknown as [string, string, string, string, string];
    if (!take(fields, tags, { left, operator, right, loose })) {
      return undefined;
    }
    if (joint === "") {
      break;
    }
    if (condition.lastIndex >= inner.length) {
      return undefined;
    }
  }
  if (Object.keys(tags).length > 0) {
    fields.tags = tagText(tags);
  }
  return fields;
}

/** One condition of a spanset: `left operator right`. */
interface Condition {
  left: string;
  operator: string;
  right: string;
  loose: boolean;
}

/** Tags for conditions on the status. */
const statusTags: ReadonlyMap<string, readonly [key: string, value: string]> = new Map([
  ["= ok", ["otel.status_code", "OK"]],
  ["= error", ["error", "true"]],
  ["!= error", ["error", "false"]],
]);

/**
 * Stores one condition in its field. A second condition for the same field is rejected.
 * @returns true when fields can express the condition
 */
function take(fields: SimpleFields, tags: Record<string, string>, condition: Condition): boolean {
  const { left, operator, right, loose } = condition;
  const set = (name: "service" | "operation" | "minDuration" | "maxDuration", value: string) => {
    if (fields[name] !== undefined || value === "") {
      return false;
    }
    fields[name] = value;
    return true;
  };
  const tag = (key: string, value: string) => {
    if (key === "" || tags[key] !== undefined) {
      return false;
    }
    tags[key] = value;
    return true;
  };
  if (left === "duration" || left === "span:duration") {
    if (parseDuration(right) === undefined) {
      return false;
    }
    if (operator === ">=" || (loose && operator === ">")) {
      return set("minDuration", right);
    }
    return operator === "<=" || (loose && operator === "<") ? set("maxDuration", right) : false;
  }
  if (left === "status" || left === "span:status") {
    const [key, value] = statusTags.get(`${operator} ${right}`) ?? ["", ""];
    return tag(key, value);
  }
  if (operator !== "=") {
    return false;
  }
  const isText = /^["`]/.test(right);
  const value = isText ? unquoted(right) : right;
  if (left === "kind" || left === "span:kind") {
    return !isText && tag("span.kind", value);
  }
  if (left === "resource.service.name") {
    return isText && set("service", value);
  }
  if (left === "name" || left === "span:name") {
    return isText && set("operation", value);
  }
  const textTag = tagsOfTexts.get(left);
  if (textTag !== undefined) {
    return isText && tag(textTag, value);
  }
  const [, scope, name] = /^(span|resource|event|)\.(.+)$/s.exec(left) ?? [];
  if (name === undefined || (scope !== "" && !loose)) {
    return false;
  }
  if (!loose && isText === looksTyped(value)) {
    return false;
  }
  return tag(name.startsWith('"') ? unquoted(name) : name, value);
}

/** True when TraceQL would parse the text as a number or a boolean. */
function looksTyped(value: string): boolean {
  return /^(true|false|-?(0|[1-9]\d{0,17})(\.\d+)?)$/.test(value);
}

/** A text as a quoted TraceQL string. Line breaks are escaped, because TraceQL allows no raw line breaks in quotes. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** The text between quotes or backticks. Escapes exist only between quotes. */
function unquoted(text: string): string {
  const inner = text.slice(1, -1);
  return text.startsWith("`")
    ? inner
    : inner.replace(/\\(.)/gs, (_, letter) => (letter === "n" ? "\n" : letter));
}
