import type { Request, RequestHandler, Response } from "express";
import {
  activeSpan,
  formatTraceContext,
  type Logger,
  newContext,
  parseTraceparent,
  type TenantCheck,
  tenantProblemTexts,
} from "lifecycle";
import { type PartialAnswer, PartialReasons, type ReadOptions } from "storage/api";
import { QueryError } from "../query-error.ts";
import { bearerTokenOf } from "../service/bearer-token.ts";
import { partialHeader, partialHeaderValue } from "../service/partial-text.ts";
import type { RequestGate } from "../service/request-gate.ts";
import { chooseCoding } from "./content-coding.ts";
import { cutSlowClient, defaultClientTimes } from "./cut-slow-client.ts";
import { errorEnvelope } from "./envelope.ts";
import { type HttpFailure, httpFailure } from "./http-status.ts";
import { indentJson, indentSlowJson } from "./indent-json.ts";
import { type BodyLimit, readBody } from "./read-body.ts";
import { type Piece, sendParts, sendPieces, sendText } from "./send-pieces.ts";
import { TypedAnswer } from "./typed-answer.ts";

/** Its signal is aborted when the client is gone. */
export type AdmittedRead = ReadOptions & {
  readonly signal: AbortSignal;
  /** Why the answer is partial, as far as its reads have said. */
  readonly reasons: PartialReasons;
};

export interface EndpointRequest {
  readonly method: string;
  readonly params: URLSearchParams;
  /** Of the header of that name; "" without one. */
  readonly accept: string;
  /** A part of the path, decoded. */
  pathPart(name: string): string;
  /** The tenant whose spans are asked for, and a signal that is aborted when the client is gone. */
  readonly read: AdmittedRead;
  /** All of the body. @param limit of this endpoint; --query.max-upload-size by default @throws QueryError QUERY_TOO_LARGE */
  body(limit?: BodyLimit): Promise<Buffer>;
}

export type Answer = Iterable<string> | AsyncIterable<Piece> | TypedAnswer;

/** Answers with JSON, in pieces, or with a type of its own. Errors that it throws become those of its style. */
export type Endpoint = (request: EndpointRequest) => Promise<Answer> | Answer;

/** What the answers of an API look like. */
export interface AnswerStyle {
  readonly contentType: string;
  /** The body of a failure. @param failure what else is known of it */
  failure(status: number, message: string, failure?: HttpFailure): string;
  /** Text by default. */
  readonly failureType?: string;
}

/** The envelope of everything under `/api`. */
export const envelopeStyle: AnswerStyle = { contentType: "application/json", failure: errorEnvelope };

/** What all endpoints share. */
export interface EndpointSettings {
  readonly tenants: TenantCheck;
  /** Whether the client's bearer token goes on to the store. */
  readonly propagateToken: boolean;
  readonly maxBodyBytes: number;
  /** For those that bring traces. */
  readonly gate: RequestGate;
  /** A client that takes nothing for so long is cut off; a minute by default. */
  readonly stalledMs?: number | undefined;
  readonly log: Logger;
}

export type EndpointMethod = "GET" | "POST";

export interface EndpointDefinition {
  readonly method: EndpointMethod | readonly EndpointMethod[];
  readonly answer: Endpoint;
  readonly style: AnswerStyle;
  /** Whether it holds traces in memory, and must wait when many do. */
  readonly isHeavy: boolean;
  /** It asks for a trace by its id: such requests wait for each other only. */
  readonly isOfOneTrace?: boolean;
}

/** A pair with a `%` that is no escape, or with a semicolon; the public model takes none of them. */
const brokenPair = /%(?![0-9a-f]{2})|;/i;

/**
 * Of the address of a request, decoded. Pairs that are malformed are left out where the public model does so, which then
 * mostly misses a parameter.
 * @throws QueryError QUERY_BAD_PARAMETER for them in an API of ours
 */
export function paramsOf(request: Request, style: AnswerStyle): URLSearchParams {
  const { originalUrl } = request;
  const mark = originalUrl.indexOf("?");
  const query = mark === -1 ? "" : originalUrl.slice(mark + 1);
  if (!brokenPair.test(query)) {
    return new URLSearchParams(query);
  }
  const pairs = query.split("&").filter((pair) => !brokenPair.test(pair));
  if (style.failureType !== undefined) {
    const broken = query.split("&").find((pair) => brokenPair.test(pair)) ?? "";
    const parameter = broken.split("=", 1)[0];
    throw new QueryError("QUERY_BAD_PARAMETER", `parameter ${parameter} is not encoded as a URL wants it`, {
      parameter,
    });
  }
  return new URLSearchParams(pairs.join("&"));
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

/** So that every answer says so, whatever the form of its body. */
function sayPartial(response: Response, partial: PartialAnswer | undefined): void {
  if (partial !== undefined) response.setHeader(partialHeader, partialHeaderValue(partial));
}

const textType = "text/plain; charset=utf-8";

function indented(pieces: Iterable<string> | AsyncIterable<Piece>): Iterable<string> | AsyncIterable<string> {
  const indent = "    ";
  return Symbol.iterator in pieces ? indentJson(pieces, indent) : indentSlowJson(pieces, indent);
}

/** Sends the error in its style, as text; nothing when the answer is already under way. */
export function sendFailure(
  response: Response,
  error: unknown,
  log: Logger,
  style: AnswerStyle = envelopeStyle,
  partial?: PartialAnswer,
): void {
  const failure = { ...httpFailure(error), partial };
  const { status, message } = failure;
  if (failure.isOurs) {
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
  response.status(status).setHeader("Content-Type", style.failureType ?? textType);
  response.setHeader("X-Content-Type-Options", "nosniff");
  sayPartial(response, partial);
  sendText(response, style.failure(status, message, failure));
}

/**
 * What every request begins with: its method, its span, its tenant, its token.
 * @returns undefined when it was answered already: 405 for another method, 401 without a tenant where one is needed
 */
export function admit(
  request: Request,
  response: Response,
  { method, style }: Pick<EndpointDefinition, "method" | "style">,
  { tenants, propagateToken }: EndpointSettings,
): AdmittedRead | undefined {
  response.vary("Accept-Encoding");
  const methods: readonly string[] = typeof method === "string" ? [method] : method;
  if (!methods.includes(request.method)) {
    response.status(405).setHeader("Allow", methods.join(", "));
    sendText(response, "");
    return undefined;
  }
  const span = activeSpan();
  if (span?.canRecord === true) {
    const route = String(request.route.path);
    span.describe(`${request.method} ${route}`, {
      "http.request.method": request.method,
      "http.route": route,
    });
  }
  if (style === envelopeStyle) {
    const context =
      span?.canRecord === true
        ? span.context
        : newContext(parseTraceparent(request.headersDistinct.traceparent?.[0]));
    response.setHeader("Traceresponse", formatTraceContext(context));
  }
  const found = tenants.check(request.headersDistinct[tenants.header] ?? []);
  if ("problem" in found) {
    const text = tenantProblemTexts[found.problem];
    const { failureType } = style;
    response.status(401).setHeader("Content-Type", failureType ?? textType);
    sendText(response, failureType === undefined ? text : style.failure(401, text));
    return undefined;
  }
  const bearerToken = propagateToken ? bearerTokenOf(request.headers) : undefined;
  const signal = closeSignal(response);
  const reasons = new PartialReasons();
  const partial = { reasons, onPartial: reasons.add };
  return { tenant: found.tenant, signal, ...partial, ...(bearerToken === undefined ? {} : { bearerToken }) };
}

/**
 * An Express handler for one method of a path; other methods get 405 and an empty body, requests without a tenant,
 * where they need one, 401 and the public model's words.
 */
export function endpoint(definition: EndpointDefinition, settings: EndpointSettings): RequestHandler {
  const { answer, style, isHeavy, isOfOneTrace = false } = definition;
  const { maxBodyBytes, gate, log, stalledMs = defaultClientTimes.stalledMs } = settings;
  return async (request, response) => {
    const read = admit(request, response, definition, settings);
    if (read === undefined) {
      return;
    }
    const { signal } = read;
    let leave = () => {};
    try {
      const params = paramsOf(request, style);
      if (isHeavy) {
        leave = await (isOfOneTrace ? gate.traces : gate).enter(signal, read.tenant);
      }
      const answered = await answer({
        method: request.method,
        params,
        read,
        accept: request.headers.accept ?? "",
        // Several of a wildcard.
        pathPart: (name) => [request.params[name]].flat().join("/"),
        body: (limit = { name: "query.max-upload-size", bytes: maxBodyBytes }) => readBody(request, limit),
      });
      response.setHeader("Content-Type", style.contentType);
      sayPartial(response, read.reasons.partial);
      cutSlowClient(response, { ...defaultClientTimes, stalledMs });
      const coding = chooseCoding(request.headers["accept-encoding"]);
      if (answered instanceof TypedAnswer) {
        response.setHeader("Content-Type", answered.contentType);
        await sendParts(response, answered.parts, coding);
      } else {
        const isPretty = !["", "false"].includes(params.get("prettyPrint") ?? "");
        await sendPieces(response, isPretty ? indented(answered) : answered, coding);
      }
    } catch (error) {
      if (!signal.aborted) {
        sendFailure(response, error, log, style, read.reasons.partial);
      }
    } finally {
      leave();
    }
  };
}
