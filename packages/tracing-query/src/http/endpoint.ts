import type { Request, RequestHandler, Response } from "express";
import type { Logger } from "lifecycle";
import { activeSpan } from "lifecycle/own-span";
import { type TenantCheck, tenantProblemTexts } from "lifecycle/tenant-check";
import { formatTraceContext, newContext, parseTraceparent } from "lifecycle/trace-context";
import type { ReadOptions } from "storage/api";
import { type PartialAnswer, PartialReasons } from "storage/partial-answer";
import type { AccessCheck, AccessProblem, AccessRead, AskedAccess } from "../access/access.ts";
import { bearerTokenOf } from "../access/bearer-token.ts";
import { QueryError } from "../query-error.ts";
import { partialHeader, partialHeaderValue } from "../service/partial-text.ts";
import type { PlacedRead, RequestGate } from "../service/request-gate.ts";
import { chooseCoding } from "./content-coding.ts";
import { cutSlowClient, defaultClientTimes } from "./cut-slow-client.ts";
import { errorEnvelope } from "./envelope.ts";
import { type HttpFailure, httpFailure } from "./http-status.ts";
import { indentJson, indentSlowJson } from "./indent-json.ts";
import type { BodyLimit, BodyReader } from "./read-body.ts";
import { type Piece, sendParts, sendPieces, sendText, TypedAnswer } from "./send-pieces.ts";

/** Options of a read for an admitted request. The signal is aborted when the client disconnects. */
export type AdmittedRead = ReadOptions &
  PlacedRead &
  AccessRead & {
    readonly signal: AbortSignal;
    /** Collects reasons why the answer is partial, from all reads of this request. */
    readonly reasons: PartialReasons;
  };

export interface EndpointRequest {
  readonly method: string;
  /** Parameters of the query string. */
  readonly params: URLSearchParams;
  /** The value of the `Accept` header; "" without one. */
  readonly accept: string;
  /** The media type of the body; "" without one. */
  readonly contentType: string;
  /** Returns a decoded part of the path. */
  pathPart(name: string): string;
  /** Tenant whose spans are read, and a signal that is aborted when the client disconnects. */
  readonly read: AdmittedRead;
  /**
   * Reads the whole body. @param limit limit of this endpoint; default --query.max-upload-size @throws QueryError
   * QUERY_TOO_LARGE
   */
  body(limit?: BodyLimit): Promise<Buffer>;
}

export type Answer = Iterable<string> | AsyncIterable<Piece> | TypedAnswer;

/**
 * Returns the answer: chunks of JSON, or a body with its own media type. An exception becomes a failure in the style of
 * the API.
 */
export type Endpoint = (request: EndpointRequest) => Promise<Answer> | Answer;

/** The form of an API's answers and failures. */
export interface AnswerStyle {
  /** Media type of answers. */
  readonly contentType: string;
  /** The body of a failure. @param failure details, if available */
  failure(status: number, message: string, failure?: HttpFailure): string;
  /** Media type of failures; default text. */
  readonly failureType?: string;
}

/** The style of Jaeger's JSON API under `/api`. */
export const envelopeStyle: AnswerStyle = { contentType: "application/json", failure: errorEnvelope };

/** Settings that all endpoints share. */
export interface EndpointSettings {
  /** Checks the tenant of each request. */
  readonly tenants: TenantCheck;
  /** Finds the rights of each request; undefined without a file of access: then everybody may do everything. */
  readonly access?: AccessCheck | undefined;
  /** True: the client's bearer token is forwarded to the store. */
  readonly propagateToken: boolean;
  /** Maximum number of bytes of the request body. A longer body gets 413. */
  readonly maxBodyBytes: number;
  /** Limits how many requests read traces at the same time. */
  readonly gate: RequestGate;
  /** Milliseconds after which a client that reads nothing is disconnected; default 60,000. */
  readonly stalledMs?: number | undefined;
  /** Log of failures. */
  readonly log: Logger;
}

export type EndpointMethod = "GET" | "POST";

export interface EndpointDefinition {
  /** Allowed methods; others are answered with 405. */
  readonly method: EndpointMethod | readonly EndpointMethod[];
  readonly answer: Endpoint;
  /** Form of answers and failures. */
  readonly style: AnswerStyle;
  /** How bodies are read; absent for an endpoint that takes none. */
  readonly readBody?: BodyReader;
  /**
   * True: the endpoint holds a place of the gate until its answer is sent, because it holds traces in memory. False:
   * only its reads of the store hold a place.
   */
  readonly isHeavy: boolean;
  /** True: the endpoint reads one trace by its id. Such requests do not wait for searches. */
  readonly isOfOneTrace?: boolean;
}

/** Matches a pair with a `%` that begins no escape, or with a semicolon. Jaeger accepts neither. */
const brokenPair = /%(?![0-9a-f]{2})|;/i;

/**
 * Decoded parameters of the URL. The APIs that Jaeger has too drop malformed pairs, as Jaeger does; then a required
 * parameter may be missing.
 * @throws QueryError QUERY_BAD_PARAMETER for a malformed pair, only in our own APIs
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

/** Sets a header that marks a partial answer, regardless of its media type. */
function sayPartial(response: Response, partial: PartialAnswer | undefined): void {
  if (partial !== undefined) {
    response.setHeader(partialHeader, partialHeaderValue(partial));
  }
}

const textType = "text/plain; charset=utf-8";

function indented(pieces: Iterable<string> | AsyncIterable<Piece>): Iterable<string> | AsyncIterable<string> {
  const indent = "    ";
  return Symbol.iterator in pieces ? indentJson(pieces, indent) : indentSlowJson(pieces, indent);
}

interface FailureForm {
  /** Form of the answer. Default: Jaeger's envelope. */
  readonly style?: AnswerStyle | undefined;
  /** Why the store could not read everything; undefined when it could. */
  readonly partial?: PartialAnswer | undefined;
}

/** Sends the error as text in the API's style. If the answer has already begun, closes the connection instead. */
export function sendFailure(
  response: Response,
  error: unknown,
  log: Logger,
  { style = envelopeStyle, partial }: FailureForm = {},
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

/** Answers a request that the file of access refuses, in the form of its API. */
function sendRefusal(response: Response, { status, message }: AccessProblem, style: AnswerStyle): void {
  if (status === 401) {
    response.setHeader("WWW-Authenticate", 'Bearer realm="tracing"');
  }
  response.status(status).setHeader("Content-Type", style.failureType ?? textType);
  const code = "QUERY_FORBIDDEN";
  sendText(response, style.failure(status, message, { status, message, isOurs: false, code }));
}

/** The parts of a request that identify its sender. */
function askedAccess(request: Request, tenant: string): AskedAccess {
  return {
    peer: request.socket.remoteAddress,
    tenant,
    header: (name) => request.headersDistinct[name] ?? [],
  };
}

/** Describes the request in this process's own span. Answers in Jaeger's envelope name the span in `Traceresponse`. */
function describeInSpan(request: Request, response: Response, style: AnswerStyle): void {
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
}

/**
 * First steps of every request: checks the method, the tenant and the access rules, describes the request in this
 * process's span, and reads the token.
 * @returns undefined when the request was answered: 405 for another method, 401 for a missing, repeated or
 *   unknown tenant, 401 or 403 where the file of access does not allow it
 */
export function admit(
  request: Request,
  response: Response,
  { method, style }: Pick<EndpointDefinition, "method" | "style">,
  { tenants, access: rules, propagateToken }: EndpointSettings,
): AdmittedRead | undefined {
  response.vary("Accept-Encoding");
  const methods: readonly string[] = typeof method === "string" ? [method] : method;
  if (!methods.includes(request.method)) {
    response.status(405).setHeader("Allow", methods.join(", "));
    sendText(response, "");
    return undefined;
  }
  describeInSpan(request, response, style);
  const found = tenants.check(request.headersDistinct[tenants.header] ?? []);
  if ("problem" in found) {
    const text = tenantProblemTexts[found.problem];
    const { failureType } = style;
    response.status(401).setHeader("Content-Type", failureType ?? textType);
    sendText(response, failureType === undefined ? text : style.failure(401, text));
    return undefined;
  }
  const route = String(request.route.path);
  const access = rules?.checkRoute(askedAccess(request, found.tenant), request.method, route);
  if (access !== undefined && "status" in access) {
    sendRefusal(response, access, style);
    return undefined;
  }
  const bearerToken = propagateToken ? bearerTokenOf(request.headers) : undefined;
  const signal = closeSignal(response);
  const reasons = new PartialReasons();
  const partial = { reasons, onPartial: reasons.add };
  const rights = access === undefined ? {} : { access };
  return {
    tenant: found.tenant,
    signal,
    ...rights,
    ...partial,
    ...(bearerToken === undefined ? {} : { bearerToken }),
  };
}

/** For endpoints that take no body. Their answers never ask for one. */
function noBody(): Promise<Buffer> {
  throw new Error("this endpoint takes no body");
}

/**
 * An Express handler for the methods of a path. Other methods get 405 and an empty body. A request without a required
 * tenant gets 401 and Jaeger's text.
 */
export function endpoint(definition: EndpointDefinition, settings: EndpointSettings): RequestHandler {
  const { answer, style, isHeavy, isOfOneTrace = false, readBody = noBody } = definition;
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
        leave = await (isOfOneTrace ? gate.traces : gate).admit(read);
      }
      const answered = await answer({
        method: request.method,
        params,
        read,
        accept: request.headers.accept ?? "",
        contentType: request.headers["content-type"] ?? "",
        // A wildcard matches several parts.
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
        sendFailure(response, error, log, { style, partial: read.reasons.partial });
      }
    } finally {
      leave();
    }
  };
}
