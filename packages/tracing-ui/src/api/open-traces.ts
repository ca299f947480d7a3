import * as z from "zod/mini";
import { type ApiTrace, apiTrace } from "../trace/trace-schema.ts";
import { ApiError } from "./api-error.ts";
import { keepOpened } from "./opened-traces.ts";
import { readJson } from "./read-json.ts";
import { traceList } from "./trace-list.ts";

/**
 * Limit of a file in bytes, as much as a tab can hold. A larger file would crash the tab instead of giving a
 * message.
 */
const maxFileBytes = 256 * 1024 * 1024;

/** A list of traces without the envelope. */
const bare = z.array(apiTrace);

/**
 * Reads the traces of a file in the form of the query service's answers: a list of traces, or one trace. The query
 * service converts other forms: OTLP JSON as one document or JSON lines, files of Tempo and Grafana, Zipkin's spans, and what SDKs write to the
 * console.
 * @throws ApiError API_TOO_LARGE, API_FILE; API_REFUSED in the service's words for OTLP that is wrong
 */
export async function openTraces(file: File, signal: AbortSignal): Promise<readonly ApiTrace[]> {
  if (file.size > maxFileBytes) {
    throw new ApiError("API_TOO_LARGE", `${file.name} is over ${maxFileBytes} bytes`);
  }
  const text = await file.text();
  const traces = await tracesOf(text, file.name, signal);
  if (traces.length === 0) {
    throw new ApiError("API_FILE", `${file.name} holds no traces`);
  }
  for (const trace of traces) {
    keepOpened(trace);
  }
  return traces;
}

/**
 * Traces of a text, by trying the forms in turn:
 * - no JSON, but lines of JSON or spans of a console: the query service converts it
 * - a form that the query service converts
 * - a list of traces, one trace, or an answer of the query service
 */
async function tracesOf(text: string, name: string, signal: AbortSignal): Promise<readonly ApiTrace[]> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (isConvertible(firstLine(text)) || consoleSpan.test(text)) {
      return transformed(text, signal);
    }
    throw new ApiError("API_FILE", `${name} is not JSON`, { cause });
  }
  if (isConvertible(value)) {
    return transformed(text, signal);
  }
  const list = bare.safeParse(value);
  if (list.success) {
    return list.data;
  }
  const one = apiTrace.safeParse(value);
  if (one.success) {
    return [one.data];
  }
  const answer = traceList.safeParse(value);
  if (answer.success) {
    return answer.data.data ?? [];
  }
  const issue = answer.error.issues[0];
  throw new ApiError(
    "API_FILE",
    `${name} is neither traces as the query service gives them nor OTLP JSON: ${issue?.path.join(".") || "(whole)"}: ${issue?.message}`,
  );
}

/** Lets the query service convert a text. The text is sent unchanged. */
async function transformed(text: string, signal: AbortSignal): Promise<readonly ApiTrace[]> {
  return (await readJson("api/transform", traceList, signal, text)).data ?? [];
}

/** OTLP, Tempo's answers, Grafana's data frames and the answers that hold them, Zipkin's spans, spans of SDKs' consoles. */
const convertible =
  /^(resourceSpans|scopeSpans|batches|trace|results?|response|series|schema|fields|traceId|context|SpanContext)$/;
/** Python's SDK writes each span in many lines, one after the other. */
const consoleSpan = /^\s*\{\s*"name"\s*:/i;

/**
 * True when the member names of an object, or of the first list item, belong to a format that the query service
 * converts.
 */
function isConvertible(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return Object.keys(first ?? {}).some((key) => convertible.test(key));
}

/** The first line as JSON; undefined where it is none. */
function firstLine(text: string): unknown {
  const start = text.trimStart();
  const end = start.indexOf("\n");
  try {
    return end === -1 ? undefined : JSON.parse(start.slice(0, end));
  } catch {
    return undefined;
  }
}
