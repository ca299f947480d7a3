import type { Request, RequestHandler, Response } from "express";
import { type Logger, type TenantCheck, tenantProblemTexts } from "lifecycle";
import type { ReadOptions } from "storage/api";
import { bearerTokenOf } from "../service/bearer-token.ts";
import type { RequestGate } from "../service/request-gate.ts";
import type { RequestTracer } from "../tracing/request-tracer.ts";
import { chooseCoding } from "./content-coding.ts";
import { errorEnvelope } from "./envelope.ts";
import { httpFailure } from "./http-status.ts";
import { indentJson } from "./indent-json.ts";
import { readBody } from "./read-body.ts";
import { sendPieces, sendText } from "./send-pieces.ts";

export interface EndpointRequest {
  readonly params: URLSearchParams;
  /** A part of the path, decoded. */
  pathPart(name: string): string;
  /** The tenant whose spans are asked for, and a signal that is aborted when the client is gone. */
  readonly read: ReadOptions;
  /** All of the body. @throws QueryError QUERY_TOO_LARGE */
  body(): Promise<Buffer>;
}

/** Answers with JSON, in pieces. Errors that it throws become those of its style. */
export type Endpoint = (request: EndpointRequest) => Promise<Iterable<string>> | Iterable<string>;

/** What the answers of an API look like. */
export interface AnswerStyle {
  readonly contentType: string;
  /** The body of a failure. */
  failure(status: number, message: string): string;
}

/** The envelope of everything under `/api`. */
export const envelopeStyle: AnswerStyle = { contentType: "application/json", failure: errorEnvelope };

/** What all endpoints share. */
export interface EndpointSettings {
  readonly tenants: TenantCheck;
  /** Whether the client's bearer token goes on to the store. */
  readonly propagateToken: boolean;
  readonly maxBodyBytes: number;
  /** Makes a span of each request; undefined: none. */
  readonly tracer?: RequestTracer | undefined;
  /** For those that bring traces. */
  readonly gate: RequestGate;
  readonly log: Logger;
}

export interface EndpointDefinition {
  readonly method: "GET" | "POST";
  readonly answer: Endpoint;
  readonly style: AnswerStyle;
  /** Whether it holds traces in memory, and must wait when many do. */
  readonly isHeavy: boolean;
}

/** A client that takes nothing for so long is cut off, so that it does not keep others waiting. */
const stalledMs = 60_000;

/** So is one that takes an answer a little at a time, after so long. */
const maxSendMs = 300_000;

function paramsOf(request: Request): URLSearchParams {
  const { originalUrl } = request;
  const mark = originalUrl.indexOf("?");
  return new URLSearchParams(mark === -1 ? "" : originalUrl.slice(mark));
}

function closeSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) {
      controller.abort();
    }
  });
  return controller.signal;
}

/** Sends the error in its style, as text; nothing when the answer is already under way. */
export function sendFailure(
  response: Response,
  error: unknown,
  log: Logger,
  style: AnswerStyle = envelopeStyle,
): void {
  const { status, message, isOurs } = httpFailure(error);
  if (isOurs) {
    log.error({ err: error }, "request failed");
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (status === 503) {
    response.setHeader("Retry-After", "1");
  }
  response.removeHeader("Content-Encoding");
  response.status(status).setHeader("Content-Type", "text/plain; charset=utf-8");
  response.setHeader("X-Content-Type-Options", "nosniff");
  sendText(response, style.failure(status, message));
}

/**
 * An Express handler for one method of a path; other methods get 405 and an empty body, requests without a tenant,
 * where they need one, 401 and the public model's words.
 */
export function endpoint(
  { method, answer, style, isHeavy }: EndpointDefinition,
  { tenants, propagateToken, maxBodyBytes, tracer, gate, log }: EndpointSettings,
): RequestHandler {
  return async (request, response) => {
    response.vary("Accept-Encoding");
    if (request.method !== method) {
      response.status(405).setHeader("Allow", method);
      sendText(response, "");
      return;
    }
    if (tracer !== undefined) {
      const span = tracer.start(request.method, String(request.route.path), request.get("traceparent"));
      response.once("close", () => span.end(response.statusCode));
      if (style === envelopeStyle) {
        response.setHeader("Traceresponse", span.response);
      }
    }
    // The first of several, as the public model takes it.
    const found = tenants.check(request.headersDistinct[tenants.header]?.slice(0, 1) ?? []);
    if ("problem" in found) {
      response.status(401).setHeader("Content-Type", "text/plain; charset=utf-8");
      sendText(response, tenantProblemTexts[found.problem]);
      return;
    }
    const params = paramsOf(request);
    const signal = closeSignal(response);
    const bearerToken = propagateToken ? bearerTokenOf(request.headers) : undefined;
    let leave = () => {};
    try {
      if (isHeavy) {
        leave = await gate.enter(signal);
      }
      const pieces = await answer({
        params,
        read: { tenant: found.tenant, signal, ...(bearerToken === undefined ? {} : { bearerToken }) },
        pathPart: (name) => String(request.params[name]),
        body: () => readBody(request, maxBodyBytes),
      });
      const isPretty = !["", "false"].includes(params.get("prettyPrint") ?? "");
      response.setHeader("Content-Type", style.contentType);
      response.setTimeout(stalledMs, () => response.destroy());
      const cut = setTimeout(() => response.destroy(), maxSendMs);
      response.once("close", () => clearTimeout(cut));
      await sendPieces(
        response,
        isPretty ? indentJson(pieces, "    ") : pieces,
        chooseCoding(request.headers["accept-encoding"]),
      );
    } catch (error) {
      if (!signal.aborted) {
        sendFailure(response, error, log, style);
      }
    } finally {
      leave();
    }
  };
}
