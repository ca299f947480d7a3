import { createMcpHandler, type McpServer } from "@modelcontextprotocol/server";

export interface McpEndpointSettings<Asks> {
  /** Maximum number of bytes of a client's message. A longer message is refused. */
  readonly maxBodyBytes: number;
  /** Creates the server for one request. @param asks facts about the request */
  serverFor(asks: Asks): McpServer;
  /** Called with the errors of clients' messages. */
  onError(error: unknown): void;
}

/**
 * Serves the Model Context Protocol over streamable HTTP, without sessions: requests are independent, so any process
 * behind a balancer can answer a request. Source: MCP specification 2026-07-28; clients of 2025 are answered too.
 * @returns a function that answers one request
 */
export function openMcpEndpoint<Asks>({
  maxBodyBytes,
  serverFor,
  onError,
}: McpEndpointSettings<Asks>): (request: Request, asks: Asks) => Promise<Response> {
  const handler = createMcpHandler(
    // `authInfo` is the only field that the SDK passes from a request to its tools.
    ({ authInfo }) => serverFor(authInfo?.extra?.asks as Asks),
    { maxRequestBodySize: maxBodyBytes, onerror: onError },
  );
  return (request, asks) =>
    handler.fetch(request, { authInfo: { token: "", clientId: "", scopes: [], extra: { asks } } });
}
