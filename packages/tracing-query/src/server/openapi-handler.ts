import type { RequestHandler } from "express";
import { chooseCoding } from "../http/content-coding.ts";
import { openApiDocument } from "../http/openapi/openapi-document.ts";
import { sendPieces, sendText } from "../http/send-pieces.ts";
import { operationGroups } from "./operation-groups.ts";

/** `GET /api/openapi.json`. The document is built on the first request, and is the same for all clients. */
export function openApiHandler(): RequestHandler {
  let json: string | undefined;
  return async (request, response) => {
    response.vary("Accept-Encoding");
    if (request.method !== "GET") {
      response.status(405).setHeader("Allow", "GET");
      sendText(response, "");
      return;
    }
    // Every request has the same base path, so the document can be cached.
    json ??= JSON.stringify(openApiDocument(operationGroups, request.baseUrl));
    response.setHeader("Content-Type", "application/json");
    await sendPieces(response, [json], chooseCoding(request.headers["accept-encoding"]));
  };
}
