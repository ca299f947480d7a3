import type { AdapterRegistry } from "../core/adapters/adapter-registry.ts";
import type { ConfigEngine } from "../core/engine/config-engine.ts";
import { ServerError } from "../core/errors.ts";
import type { JsonValue } from "../core/json/json-value.ts";
import { cleanPath } from "../core/uri/request-target.ts";
import { acceptedText } from "./accepted-text.ts";
import { type AdminReply, type AdminRequest, emptyReply } from "./admin-message.ts";
import type { AdminRoute } from "./admin-route.ts";
import { patchTypeOf, readPatch } from "./config-patch.ts";

/** Request header by which the reload command says which file a config came from. */
const sourceFileHeaders = ["server-config-source-file", "caddy-config-source-file"];

/** The file a request says its config came from, in our header or the public model's. */
export function sourceFileOf(request: AdminRequest): string | undefined {
  return sourceFileHeaders.map((name) => request.header(name)).find((value) => value !== "");
}

/** What every change takes from its request. */
function changeBasics(request: AdminRequest, path: string) {
  return {
    path,
    ifMatch: request.header("if-match") === "" ? undefined : request.header("if-match"),
    force: request.header("cache-control").includes("must-revalidate"),
    sourceFile: sourceFileOf(request),
    author: request.author,
  };
}

/** Changes the config at a path. @throws ServerError */
async function change(
  engine: ConfigEngine,
  request: AdminRequest,
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
): Promise<void> {
  const basics = changeBasics(request, path);
  if (method === "DELETE") {
    await engine.change({ ...basics, method, body: new Uint8Array() });
    return;
  }
  const contentType = request.header("content-type");
  const patchType = patchTypeOf(contentType);
  if (patchType !== undefined && method === "PATCH") {
    const edit = readPatch(patchType, await request.body());
    await engine.change({ ...basics, method, body: new Uint8Array(), edit });
    return;
  }
  if (!contentType.includes("/json") || patchType !== undefined) {
    throw new ServerError(
      "ADMIN_REQUEST",
      `unacceptable content-type: ${contentType}; 'application/json' required`,
    );
  }
  await engine.change({ ...basics, method, body: await request.body() });
}

/** The config at a path: as JSON, or as text when the client asks for that. The ETag is that of the JSON either way. */
async function read(
  engine: ConfigEngine,
  adapters: AdapterRegistry,
  request: AdminRequest,
  path: string,
): Promise<AdminReply> {
  const { body, etag } = await engine.read(path);
  const text = acceptedText(request.header("accept"), adapters);
  if (text === undefined) {
    const headers = { "Content-Type": "application/json", Etag: etag, Vary: "Accept" };
    return { status: 200, headers, body };
  }
  if (!/^\/config\/*$/.test(path)) {
    throw new ServerError(
      "CONFIG_INEXPRESSIBLE",
      `${path} is a part of the config; only the whole one, /config/, is written as ${text.mediaType}`,
      { path },
    );
  }
  const written = await adapters.toText(text.format, JSON.parse(body) as JsonValue);
  const type = `${text.mediaType}; charset=utf-8`;
  return { status: 200, headers: { "Content-Type": type, Etag: etag, Vary: "Accept" }, body: written };
}

/** @param path URL-decoded, expanded when it came through `/id/` */
async function handleConfig(
  engine: ConfigEngine,
  adapters: AdapterRegistry,
  request: AdminRequest,
  path: string,
): Promise<AdminReply> {
  switch (request.method) {
    case "GET":
      return read(engine, adapters, request, path);
    case "POST":
    case "PUT":
    case "PATCH":
    case "DELETE":
      await change(engine, request, request.method, path);
      return emptyReply;
    default:
      throw new ServerError("ADMIN_METHOD", `method ${request.method} not allowed`);
  }
}

/** `/config/[path]`: read and change the live config. */
export function configRoute(engine: ConfigEngine, adapters: AdapterRegistry): AdminRoute {
  return { path: "/config/", handle: (request) => handleConfig(engine, adapters, request, request.path) };
}

/** `/id/<id>/<rest>`: as `/config/` with the path of the object whose `@id` is `<id>`, then `<rest>`. */
export function idRoute(engine: ConfigEngine, adapters: AdapterRegistry): AdminRoute {
  return {
    path: "/id/",
    handle(request) {
      const [, , id = "", ...rest] = request.path.split("/");
      if (id === "") {
        throw new ServerError("ADMIN_REQUEST", "request path is missing object ID");
      }
      const expanded = cleanPath([engine.pathOfId(id), ...rest].join("/")).replace(/\/$/, "");
      return handleConfig(engine, adapters, request, expanded);
    },
  };
}
