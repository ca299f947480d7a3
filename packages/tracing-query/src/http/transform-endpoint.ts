import type { Span } from "wire/model";
import { OtlpJsonTranscoder } from "wire/otlp";
import { readSpanRows } from "wire/rows";
import { ZipkinV2JsonTranscoder } from "wire/zipkin";
import { QueryError } from "../query-error.ts";
import { type ApiTrace, toApiTrace } from "../service/api-trace.ts";
import type { Endpoint } from "./endpoint.ts";
import { type EnvelopeError, envelope } from "./envelope.ts";
import { jsonDocuments } from "./json-documents.ts";
import { isZipkinFile, otlpOfFile } from "./trace-files/otlp-of-file.ts";
import { tracesJson } from "./trace-json.ts";

const byteOrderMark = Buffer.from("\ufeff");
const formatTag = "internal.span.format";

function unreadable(reason: string, cause?: unknown): QueryError {
  return new QueryError("QUERY_UNREADABLE", `cannot unmarshal OTLP : ${reason}`, { cause });
}

/** The result of an upload. */
interface Upload {
  readonly traces: readonly ApiTrace[];
  /** Reasons why spans are missing. */
  readonly errors: readonly EnvelopeError[];
}

function read(body: Buffer): Upload {
  const otlp = new OtlpJsonTranscoder();
  const zipkin = new ZipkinV2JsonTranscoder();
  const documents = jsonDocuments(withoutMark(body));
  const spans: Span[] = [];
  const errors: EnvelopeError[] = [];
  for (const [index, document] of documents.entries()) {
    const place = documents.length === 1 ? "" : `document ${index + 1} of ${documents.length}: `;
    try {
      const { rows, rejectedSpans, errorMessage } = isZipkinFile(document)
        ? zipkin.transcode(document)
        : otlp.transcode(otlpOfFile(document));
      // Not as arguments of one call: a file of 200,000 spans would overflow the stack.
      for (const span of readSpanRows(rows.bytes)) {
        spans.push(span);
      }
      if (rejectedSpans > 0) {
        errors.push({ code: 400, msg: `${place}${errorMessage}` });
      }
    } catch (error) {
      throw unreadable(`${place}${error instanceof Error ? error.message : error}`, error);
    }
  }
  if (spans.length === 0 && errors[0] !== undefined) {
    throw unreadable(errors[0].msg);
  }
  const byTrace = Map.groupBy(spans, ({ traceId }) => traceId);
  return { traces: Array.from(byTrace, ([traceId, own]) => toApiTrace({ traceId, spans: own })), errors };
}

/** Removes the byte order mark with which editors on Windows begin a text. */
function withoutMark(body: Buffer): Buffer {
  return body.subarray(0, 3).equals(byteOrderMark) ? body.subarray(3) : body;
}

/** Removes the format tag, because uploaded spans are only shown. */
function withoutFormat(trace: ApiTrace): ApiTrace {
  for (const span of trace.spans) {
    span.tags = span.tags.filter(({ key }) => key !== formatTag);
  }
  return trace;
}

/**
 * `POST /api/transform`: converts OTLP JSON, files of Tempo and Grafana, console output of SDKs, and Zipkin's spans to
 * the UI's JSON, with traces ordered by their first span. Nothing is stored. The body may contain several documents, as
 * JSON lines. Unreadable spans are dropped, and `errors` has the reasons.
 */
export const transformEndpoint: Endpoint = async ({ body }) => {
  const { traces, errors } = read(await body());
  return envelope(tracesJson(traces.map(withoutFormat)), { errors });
};
