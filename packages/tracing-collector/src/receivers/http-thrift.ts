import { activeSpan } from "lifecycle/own-span";
import { WireError } from "wire/errors";
import { ThriftBatchTranscoder } from "wire/thrift";
import type { CollectorMetrics } from "../counts/metrics.ts";
import { SpanIntake } from "../pipeline/span-intake.ts";
import { answerText } from "./http-error.ts";
import { type HttpTimeouts, listenHttp } from "./http-listener.ts";
import type { HttpRequest, HttpResponse } from "./http-messages.ts";
import { type HttpFailure, type HttpSpanForm, receiveSpans } from "./http-spans.ts";
import { MediaTypeError, mediaType } from "./media-type.ts";
import type { Receiver, ReceiverAddress, ReceiverContext } from "./receiver.ts";
import { maxRowsBytes } from "./request-limits.ts";
import { requestPath } from "./request-path.ts";
import { answerSampling } from "./sampling-http.ts";

/** Accepted content types; other types get 400, as in Jaeger. */
const contentTypes: readonly string[] = ["application/x-thrift", "application/vnd.apache.thrift.binary"];

/** The served paths, each with its label value in metrics. */
const requestTypes: Readonly<Record<string, "traces" | "sampling" | "baggage">> = {
  "/api/traces": "traces",
  "/api/sampling": "sampling",
  "/api/baggageRestrictions": "baggage",
};

/**
 * Thrift over HTTP. `POST /api/traces` accepts one `Batch` in the binary protocol, from clients without an agent. `GET
 * /api/sampling` returns a sampling strategy. A stored batch gets 202 without a body; errors are lines of text. Query
 * strings are ignored, because old clients send `?format=…`.
 *
 * With tenancy, a batch without a tenant gets 403; Jaeger stores it. A request for a strategy needs no
 * tenant.
 * @throws StartError
 */
export async function openHttpThrift(
  address: ReceiverAddress,
  timeouts: HttpTimeouts,
  context: ReceiverContext,
): Promise<Receiver> {
  const form = thriftForm(
    new SpanIntake(context, { transport: "http", format: "jaeger" }),
    new ThriftBatchTranscoder({ maxRowsBytes }),
  );

  const handler = (request: HttpRequest, response: HttpResponse): void => {
    const path = requestPath(request);
    const type = Object.hasOwn(requestTypes, path) ? requestTypes[path] : undefined;
    watchRequest(context.metrics, request, response, type === undefined ? "other" : path);
    if (type === "traces") {
      if (isBatch(request, response)) {
        receiveSpans(form, context, request, response);
        return;
      }
    } else {
      if (type !== undefined && request.method === "GET") {
        context.metrics.httpServerRequests.inc({ type });
        activeSpan()?.describe(`GET ${path}`);
      }
      answerSampling(context.sampling, request, response);
    }
    request.dropBody();
  };
  return await listenHttp(address, { timeouts, log: context.log, handler });
}

/** @returns false when the request was answered with an error */
function isBatch(request: HttpRequest, response: HttpResponse): boolean {
  if (request.method !== "POST") {
    response.writeHead(405, { "Content-Length": 0 }).end();
    return false;
  }
  let type: string;
  try {
    type = mediaType(request.headers["content-type"] ?? "");
  } catch (error) {
    if (!(error instanceof MediaTypeError)) {
      throw error;
    }
    answerText(response, 400, `Cannot parse content type: ${error.message}`);
    return false;
  }
  if (contentTypes.includes(type)) {
    return true;
  }
  answerText(response, 400, `Unsupported content type: ${escapeHtml(type)}`);
  return false;
}

/** Answers and errors of this port. An empty body gets the error text of Jaeger. */
function thriftForm(intake: SpanIntake, transcoder: ThriftBatchTranscoder): HttpSpanForm {
  return {
    intake,
    transcode(body, tenant) {
      if (body.length === 0) {
        throw new WireError("WIRE_TRUNCATED", "*tracing.Batch field 0 read error: EOF");
      }
      return transcoder.transcode(body, tenant);
    },
    answerKept: (response) => response.writeHead(202, { "Content-Length": 0 }).end(),
    answerFailure: (response, failure) => answerText(response, failure.httpStatus, textOf(failure)),
  };
}

/** Returns Jaeger's text for a failure. Clients use these texts to distinguish an invalid batch from a busy server. */
function textOf({ httpStatus, message }: HttpFailure): string {
  if (httpStatus === 403) {
    return message;
  }
  return httpStatus === 400 || httpStatus === 413 || httpStatus === 415
    ? `Unable to process request body: ${message}`
    : `Cannot submit tracing batch: ${message}`;
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
};

/** Equals Go's `html.EscapeString`, which Jaeger calls. */
function escapeHtml(text: string): string {
  return text.replace(/[&'<>"]/g, (character) => escapes[character] ?? character);
}

/** @param path a known path or "other", because senders must not invent label values */
function watchRequest(
  { httpRequestSeconds, httpServerErrors }: CollectorMetrics,
  request: HttpRequest,
  response: HttpResponse,
  path: string,
): void {
  const startMs = performance.now();
  response.once("close", () => {
    if (response.destroyed) {
      return;
    }
    const { statusCode } = response;
    const method = ["GET", "POST"].includes(request.method) ? request.method : "other";
    httpRequestSeconds.observe(
      { method, path, status: String(statusCode) },
      (performance.now() - startMs) / 1_000,
    );
    if (statusCode >= 500) {
      httpServerErrors.inc({ source: path === "/api/traces" ? "thrift" : "collector-proxy", status: "5xx" });
    } else if (statusCode >= 400) {
      httpServerErrors.inc({ source: "all", status: "4xx" });
    }
  });
}
