import { type RequestHandler, Router } from "express";
import { envelopeStyle } from "./endpoint.ts";
import { sendText } from "./send-pieces.ts";

/** @param reason error text for a request */
function notFound(reason: (method: string, path: string) => string): RequestHandler {
  return (request, response) => {
    response.status(404).setHeader("Content-Type", envelopeStyle.contentType);
    sendText(response, envelopeStyle.failure(404, reason(request.method, request.path)));
  };
}

/**
 * Answers unknown API paths with a failure in JSON. Without this router a program would get the UI's page with
 * status 200, and would take the page for an answer.
 */
export function unknownApiRouter(): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.all(
    "/api/*path",
    notFound((method, path) => `there is no endpoint ${method} ${path}`),
  );
  router.all(
    "/mcp",
    notFound(() => "assistants are not answered here: tracing-query needs --query.mcp.enabled"),
  );
  return router;
}
