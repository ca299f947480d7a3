import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Request as ExpressRequest, type Response as ExpressResponse, Router } from "express";
import { version } from "lifecycle";
import { type AdmittedRead, admit, type EndpointSettings, sendFailure } from "../http/endpoint.ts";
import { problemStyle } from "../http/problem.ts";
import { readBody } from "../http/read-body.ts";
import { sendText } from "../http/send-pieces.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { ModelPrices } from "../service/model-prices.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import { isOriginAllowed } from "./origin-check.ts";
import { pageAddress } from "./page-address.ts";
import type { ToolContext } from "./tool.ts";

/** Settings of `/mcp`. */
export interface McpSettings extends EndpointSettings {
  /** Reads of the store. */
  readonly service: QueryService;
  /** Corrections of shown traces. */
  readonly adjust: AdjustOptions;
  /** Prices of language models. */
  readonly prices: ModelPrices;
  /** --query.ui-config, whose link patterns a tool resolves; absent or "": there are none. */
  readonly uiConfigFile?: string | undefined;
  /** Maximum number of traces, spans and bytes of one read, the same as in the HTTP API. */
  readonly limits: ReadLimits;
  /** --query.base-path, for links to pages of the UI. */
  readonly basePath: string;
  /** Origins of web pages whose scripts may send requests, in addition to this machine. */
  readonly allowedOrigins: readonly string[];
}

/** Maximum number of bytes of a request body: 256 KiB. Arguments of tools are short; a longer body gets 413. */
const maxBodyBytes = 262_144;

const methods = ["GET", "POST"] as const;

/**
 * `/mcp`: the Model Context Protocol over streamable HTTP, without sessions. Requests are independent, so any
 * process behind a balancer can answer a request. Source: specification 2026-07-28; clients of 2025 are answered too.
 */
export function mcpRouter(settings: McpSettings): Router {
  const router = Router({ strict: true, caseSensitive: true });
  // Loaded with the first request, and shared by all later requests.
  let endpoint: ReturnType<typeof loadEndpoint> | undefined;
  router.options("/mcp", (request, response) => {
    if (refuseOrigin(request, response, settings)) {
      return;
    }
    // A browser's preflight. The origin was checked before.
    response.status(204).setHeader("Access-Control-Allow-Methods", methods.join(", "));
    const asked = request.headers["access-control-request-headers"];
    response.setHeader("Access-Control-Allow-Headers", asked ?? "content-type");
    sendText(response, "");
  });
  router.all("/mcp", async (request, response) => {
    if (refuseOrigin(request, response, settings)) {
      return;
    }
    const read = admit(request, response, { method: methods, style: problemStyle }, settings);
    if (read === undefined) {
      return;
    }
    try {
      endpoint ??= loadEndpoint(settings);
      const asked = await webRequest(request, read);
      // Links lead to the UI at the address by which the client reached this server.
      const link = (path: string) => pageAddress(request, settings.basePath, path);
      const answer = await (await endpoint)(asked, { read, link });
      response.status(answer.status);
      for (const [name, value] of answer.headers) {
        response.setHeader(name, value);
      }
      await (answer.body === null
        ? sendText(response, "")
        : pipeline(Readable.fromWeb(answer.body as never), response));
    } catch (error) {
      if (!read.signal.aborted) {
        sendFailure(response, error, settings.log, { style: problemStyle });
      }
    }
  });
  return router;
}

/** The parts of a tool's context that differ between requests. */
type Asks = Pick<ToolContext, "read" | "link">;

/** Creates the endpoint. The SDK is loaded with the first request, because most servers never get an MCP request. */
async function loadEndpoint(
  settings: McpSettings,
): Promise<(request: Request, asks: Asks) => Promise<Response>> {
  const [{ openMcpEndpoint }, { mcpServer }, { readLinkPatterns }] = await Promise.all([
    import("assistant-tools/mcp-endpoint"),
    import("./mcp-server.ts"),
    import("../service/link-patterns-file.ts"),
  ]);
  const { service, adjust, prices, limits, gate, log, uiConfigFile = "" } = settings;
  const linkPatterns = () => readLinkPatterns(uiConfigFile);
  return openMcpEndpoint<Asks>({
    maxBodyBytes,
    serverFor(asks) {
      const context = { service, adjust, prices, linkPatterns, limits, ...asks, nowMs: Date.now() };
      const onFault = (tool: string, error: unknown) => log.error({ err: error, tool }, "a tool failed");
      return mcpServer(context, { gate, version: version.gitVersion, onFault });
    },
    onError: (error) => log.debug({ err: error }, "mcp"),
  });
}

/**
 * Converts the request to the Fetch standard's form, which the SDK needs. Its signal is aborted when the client
 * disconnects.
 */
async function webRequest(request: IncomingMessage, { signal }: AdmittedRead): Promise<Request> {
  const { method = "GET" } = request;
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    for (const value of values ?? []) {
      headers.append(name, value);
    }
  }
  const body = method === "POST" ? new Uint8Array(await readBody(request, { bytes: maxBodyBytes })) : null;
  return new Request("http://localhost/mcp", { method, headers, body, signal });
}

/**
 * Refuses requests from web pages of other origins. Their scripts could otherwise read traces in a user's name.
 * Requests without `Origin` come from programs, and pass.
 * @returns true when the request was answered with 403
 */
function refuseOrigin(
  request: ExpressRequest,
  response: ExpressResponse,
  { allowedOrigins }: McpSettings,
): boolean {
  const { origin } = request.headers;
  if (origin === undefined) {
    return false;
  }
  if (!isOriginAllowed(origin, allowedOrigins)) {
    response.status(403).setHeader("Content-Type", String(problemStyle.failureType));
    sendText(
      response,
      problemStyle.failure(403, "pages of this origin may not ask: see --query.mcp.allowed-origins"),
    );
    return true;
  }
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", "mcp-session-id, mcp-protocol-version");
  response.vary("Origin");
  return false;
}
