import type { ConfigEngine } from "../core/engine/config-engine.ts";
import { ServerError } from "../core/errors.ts";
import { cleanPath } from "../core/uri/request-target.ts";
import { type AdminReply, type AdminRequest, emptyReply } from "./admin-message.ts";

/** Request header by which the reload command says which file a config came from. */
const sourceFileHeaders = ["server-config-source-file", "caddy-config-source-file"];

/** The file a request says its config came from, in our header or the public model's. */
export function sourceFileOf(request: AdminRequest): string | undefined {
  return sourceFileHeaders.map((name) => request.header(name)).find((value) => value !== "");
}

/**
 * `/config/[path]`: read and change the live config.
 * @param path URL-decoded, expanded when it came through `/id/`
 */
export async function handleConfig(
  engine: ConfigEngine,
  request: AdminRequest,
  path: string,
): Promise<AdminReply> {
  switch (request.method) {
    case "GET": {
      const { body, etag } = engine.read(path);
      return { status: 200, headers: { "Content-Type": "application/json", Etag: etag }, body };
    }
    case "POST":
    case "PUT":
    case "PATCH":
    case "DELETE": {
      const contentType = request.header("content-type");
      if (request.method !== "DELETE" && !contentType.includes("/json")) {
        throw new ServerError(
          "ADMIN_REQUEST",
          `unacceptable content-type: ${contentType}; 'application/json' required`,
        );
      }
      await engine.change({
        method: request.method,
        path,
        body: request.method === "DELETE" ? new Uint8Array() : await request.body(),
        ifMatch: request.header("if-match") === "" ? undefined : request.header("if-match"),
        force: request.header("cache-control").includes("must-revalidate"),
        sourceFile: sourceFileOf(request),
      });
      return emptyReply;
    }
    default:
      throw new ServerError("ADMIN_METHOD", `method ${request.method} not allowed`);
  }
}

/** `/id/<id>/<rest>`: as `/config/` with the path of the object whose `@id` is `<id>`, then `<rest>`. */
export function handleId(engine: ConfigEngine, request: AdminRequest): Promise<AdminReply> {
  const [, , id = "", ...rest] = request.path.split("/");
  if (id === "") {
    throw new ServerError("ADMIN_REQUEST", "request path is missing object ID");
  }
  const expanded = cleanPath([engine.pathOfId(id), ...rest].join("/")).replace(/\/$/, "");
  return handleConfig(engine, request, expanded);
}
