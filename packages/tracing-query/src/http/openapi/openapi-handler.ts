import type { RequestHandler } from "express";
import { chooseCoding } from "../content-coding.ts";
import { sendPieces, sendText } from "../send-pieces.ts";
import { openApiDocument } from "./openapi-document.ts";
import { operationGroups } from "./operation-groups.ts";

/** `GET /api/openapi.json`: the same for everybody, made when it is first asked for. */
export function openApiHandler(): RequestHandler {
  let json: string | undefined;
  return async (request, response) => {
    response.vary("Accept-Encoding");
    if (request.method !== "GET") {
      response.status(405).setHeader("Allow", "GET");
      sendText(response, "");
      return;
    }
    // The base path, which is the same for all requests.
    json ??= JSON.stringify(openApiDocument(operationGroups, request.baseUrl));
    response.setHeader("Content-Type", "application/json");
    await sendPieces(response, [json], chooseCoding(request.headers["accept-encoding"]));
  };
}
