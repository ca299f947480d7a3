import * as z from "zod/mini";
import { type ApiTrace, apiTrace } from "../trace/trace-schema.ts";
import { ApiError } from "./api-error.ts";
import { keepOpened } from "./opened-traces.ts";
import { readJson } from "./read-json.ts";
import { traceList } from "./trace-list.ts";

/**
 * Maximum number of bytes of a file, about as much as a tab can hold. A larger file would crash the tab instead of
 * showing a message.
 */
const maxFileBytes = 256 * 1024 * 1024;

/** A list of traces without the envelope. */
const bare = z.array(apiTrace);

/**
 * Reads the traces of a file: a list of traces, one trace, or an answer of the query service. The query service
 * converts other forms: OTLP JSON as one document or JSON lines, files of Tempo and Grafana, Zipkin's spans, and
 * console output of SDKs.
 * @throws ApiError API_TOO_LARGE, API_FILE; API_REFUSED with the service's message for invalid OTLP
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
 * Parses the traces of a text, by trying the forms in turn:
 * - not JSON, but JSON lines or console spans: the query service converts the text
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

/** Converts a text with the query service. The text is sent unchanged. */
async function transformed(text: string, signal: AbortSignal): Promise<readonly ApiTrace[]> {
  return (await readJson("api/transform", traceList, signal, text)).data ?? [];
}

/**
 * Matches member names of the convertible forms: OTLP, Tempo's answers, Grafana's data frames and the answers around
 * them, Zipkin's spans, and console output of SDKs.
 */
const convertible =
  /^(resourceSpans|scopeSpans|batches|trace|results?|response|series|schema|fields|traceId|context|SpanContext)$/;
/** Matches the console output of Python's SDK, which writes each span over several lines. */
const consoleSpan = /^\s*\{\s*"name"\s*:/i;

/**
 * True when an object, or the first item of a list, has member names of a format that the query service converts.
 */
function isConvertible(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return Object.keys(first ?? {}).some((key) => convertible.test(key));
}

/** The first line as JSON; undefined for other text. */
function firstLine(text: string): unknown {
  const start = text.trimStart();
  const end = start.indexOf("\n");
  try {
    return end === -1 ? undefined : JSON.parse(start.slice(0, end));
  } catch {
    return undefined;
  }
}
