import { Readable } from "node:stream";
import type { Logger } from "lifecycle";
import { type AdminReply, type AdminRequest, notFoundReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { ServerError } from "server-core/errors";
import { isJsonObject, member } from "server-core/json/json-value";
import { decodeAdminConfig } from "../admin-config.ts";

/** Maximum number of bytes of a message; a longer message is refused. The largest message contains a config. */
const maxBodyBytes = 1_048_576;

/** Header fields that the protocol uses. */
const fields = [
  ...["content-type", "accept", "mcp-protocol-version", "mcp-session-id", "mcp-method", "mcp-name"],
  "last-event-id",
];

/** Converts the request for the SDK. @throws ServerError ADMIN_TOO_LARGE */
async function webRequest(request: AdminRequest): Promise<Request> {
  const headers = new Headers();
  for (const name of fields) {
    const value = request.header(name);
    if (value !== "") {
      headers.set(name, value);
    }
  }
  const { method, signal } = request;
  const body = method === "POST" ? await request.body() : null;
  if (body !== null && body.length > maxBodyBytes) {
    throw new ServerError("ADMIN_TOO_LARGE", `a message of ${body.length} bytes, limit ${maxBodyBytes}`);
  }
  return new Request("http://localhost/mcp", { method, headers, body: body && Buffer.from(body), signal });
}

/**
 * `/mcp`: the Model Context Protocol, enabled by `admin.mcp`. Its tools send requests to the admin API with the
 * client's rights. The MCP library is loaded with the first request.
 */
export function mcpRoute(engine: ConfigEngine, log: Logger): AdminRoute {
  let opened: Promise<ReturnType<typeof import("./admin-mcp-server.ts")["openAdminMcp"]>> | undefined;
  return {
    path: "/mcp",
    async handle(request): Promise<AdminReply> {
      const { config } = engine;
      const { mcp } = decodeAdminConfig(isJsonObject(config) ? (member(config, "admin") ?? null) : null);
      if (mcp?.enabled !== true) {
        return notFoundReply;
      }
      if (!["GET", "POST", "DELETE"].includes(request.method)) {
        throw new ServerError("ADMIN_METHOD", "method not allowed");
      }
      opened ??= import("./admin-mcp-server.ts").then((found) => found.openAdminMcp(log, maxBodyBytes));
      // The SDK uses the web's Request and Response.
      const answer = await (await opened)(await webRequest(request), {
        context: { ask: request.ask },
        mayChange: mcp.allow_changes === true,
      });
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        ...(answer.body !== null && { body: Readable.fromWeb(answer.body as never) }),
      };
    },
  };
}
