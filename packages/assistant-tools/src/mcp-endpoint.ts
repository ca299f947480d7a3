import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";

/** Settings of an endpoint. */
export interface McpEndpointSettings<Asks> {
  /** Longest message of a client, bytes. */
  readonly maxBodyBytes: number;
  /** The tools of one request. @param asks facts about the request */
  serverFor(asks: Asks): McpServer;
  /** Told what is wrong with messages of clients. */
  onError(error: unknown): void;
}

/**
 * The protocol over streamable HTTP, without sessions: each request stands alone, so any process behind a balancer can answer
 * it. Source: MCP specification 2026-07-28; clients of 2025 are answered too.
 * @returns answers one request
 */
export function openMcpEndpoint<Asks>({
  maxBodyBytes,
  serverFor,
  onError,
}: McpEndpointSettings<Asks>): (request: Request, asks: Asks) => Promise<Response> {
  const handler = createMcpHandler(
    // The only way through the SDK from a request to its tools.
    ({ authInfo }) => serverFor(authInfo?.extra?.asks as Asks),
    { maxRequestBodySize: maxBodyBytes, onerror: onError },
  );
  return (request, asks) =>
    handler.fetch(request, { authInfo: { token: "", clientId: "", scopes: [], extra: { asks } } });
}
