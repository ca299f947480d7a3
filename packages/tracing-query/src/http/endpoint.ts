import type { Request, RequestHandler, Response } from "express";
import { type Logger, type TenantCheck, tenantProblemTexts } from "lifecycle";
import type { ReadOptions } from "storage/api";
import { errorEnvelope } from "./envelope.ts";
import { httpFailure } from "./http-status.ts";
import { indentJson } from "./indent-json.ts";
import { sendPieces, sendText } from "./send-pieces.ts";

export interface EndpointRequest {
  readonly params: URLSearchParams;
  /** A part of the path, decoded. */
  pathPart(name: string): string;
  /** The tenant whose spans are asked for, and a signal that is aborted when the client is gone. */
  readonly read: ReadOptions;
}

/** Answers with JSON, in pieces. Errors that it throws become the envelope's. */
export type Endpoint = (request: EndpointRequest) => Promise<Iterable<string>> | Iterable<string>;

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

/** Sends the error in the envelope, as text; nothing when the answer is already under way. */
export function sendFailure(response: Response, error: unknown, log: Logger): void {
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
  response.status(status).setHeader("Content-Type", "text/plain; charset=utf-8");
  response.setHeader("X-Content-Type-Options", "nosniff");
  sendText(response, errorEnvelope(status, message));
}

/**
 * An Express handler for one method of a path; other methods get 405 and an empty body, requests without a tenant,
 * where they need one, 401 and the public model's words.
 */
export function endpoint(
  method: "GET" | "POST",
  answer: Endpoint,
  tenants: TenantCheck,
  log: Logger,
): RequestHandler {
  return async (request, response) => {
    if (request.method !== method) {
      response.status(405).setHeader("Allow", method);
      sendText(response, "");
      return;
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
    try {
      const pieces = await answer({
        params,
        read: { tenant: found.tenant, signal },
        pathPart: (name) => String(request.params[name]),
      });
      const isPretty = !["", "false"].includes(params.get("prettyPrint") ?? "");
      response.setHeader("Content-Type", "application/json");
      await sendPieces(response, isPretty ? indentJson(pieces, "    ") : pieces);
    } catch (error) {
      if (!signal.aborted) {
        sendFailure(response, error, log);
      }
    }
  };
}
