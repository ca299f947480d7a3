import * as z from "zod/mini";
import { type ApiTrace, apiTrace } from "../trace/trace-schema.ts";
import { envelope, type Schema } from "./envelope.ts";

/** The full schema; zod reports the path of the first fault. */
const schema = envelope(z.nullable(z.array(apiTrace)));

/** Traces in an answer of the query service. */
type TraceList = z.infer<typeof schema>;

/**
 * The schema of an answer with traces. A large trace has a million values, and the page's Content-Security-Policy
 * forbids `eval`, which zod needs for its fast path. Therefore `isTraceList` checks an answer in its usual form
 * without copying. Other answers are left to zod, which also reports their faults.
 */
export const traceList: Schema<TraceList> = {
  safeParse: (value) => (isTraceList(value) ? { success: true, data: value } : schema.safeParse(value)),
};

/** True when an answer certainly satisfies the schema; false when zod must decide. */
export function isTraceList(value: unknown): value is TraceList {
  return isObject(value) && value.errors === null && Array.isArray(value.data) && value.data.every(isTrace);
}

/** An object whose members are still unchecked. */
type Fields = Readonly<Record<string, unknown>>;

/** The checks below follow the schema in trace-schema.ts field by field; both change together. */
function isTrace(value: unknown): value is ApiTrace {
  return (
    isObject(value) &&
    typeof value.traceID === "string" &&
    Array.isArray(value.spans) &&
    value.spans.every(isSpan) &&
    isObject(value.processes) &&
    Object.values(value.processes).every(isProcess) &&
    isTextsOrNothing(value.warnings)
  );
}

function isSpan(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.traceID === "string" &&
    typeof value.spanID === "string" &&
    typeof value.operationName === "string" &&
    isListOrNull(value.references, isReference) &&
    typeof value.startTime === "number" &&
    typeof value.duration === "number" &&
    isListOrNull(value.tags, isAttribute) &&
    isListOrNull(value.logs, isEvent) &&
    typeof value.processID === "string" &&
    isTextsOrNothing(value.warnings)
  );
}

function isReference(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.refType === "string" &&
    typeof value.traceID === "string" &&
    typeof value.spanID === "string"
  );
}

function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.timestamp === "number" &&
    Array.isArray(value.fields) &&
    value.fields.every(isAttribute)
  );
}

function isProcess(value: unknown): boolean {
  return isObject(value) && typeof value.serviceName === "string" && isListOrNull(value.tags, isAttribute);
}

function isAttribute(value: unknown): boolean {
  if (!isObject(value) || typeof value.key !== "string" || typeof value.type !== "string") {
    return false;
  }
  const kind = typeof value.value;
  return kind === "string" || kind === "number" || kind === "boolean" || value.value === null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isListOrNull(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return value === null || (Array.isArray(value) && value.every(isItem));
}

function isTextsOrNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (Array.isArray(value) && value.every((item) => typeof item === "string"))
  );
}
