// | request | effect | in Caddy |
// |---|---|---|
// | `GET /config/path` | the value as JSON, its hash as `ETag` | yes |
// | `GET` with `Accept: text/serverfile` | the whole config as text | no |
// | `POST` | sets a value, or appends to a list | yes |
// | `PUT` | creates a value, or inserts into a list; 409 for an existing key | yes |
// | `PATCH` | replaces a value; 404 for a missing key | yes |
// | `PATCH` with a JSON Patch or a merge patch | changes parts of a value | no |
// | `DELETE` | removes a value | yes |
// | `If-Match` with another hash | 412 | yes |
//
// Each change is atomic: either the whole new config runs, or the old config continues and the response has the reason.
// Changes run one after the other.

import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { type AdminReply, type AdminRequest, causeOf, emptyReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { type DocumentPlace, parsePlace } from "server-core/tree/document-place";
import { acceptedText } from "./accepted-text.ts";
import { patchTypeOf, readPatch } from "./config-patch.ts";

/** Request header with the source file of a config, sent by the reload command. */
const sourceFileHeaders = ["server-config-source-file", "caddy-config-source-file"];

/** The source file of the config, from this server's header or from Caddy's. */
export function sourceFileOf(request: AdminRequest): string | undefined {
  return sourceFileHeaders.map((name) => request.header(name)).find((value) => value !== "");
}

/**
 * The fields of a change that come from the request. With `must-revalidate` in `Cache-Control`, the config is loaded
 * even when it equals the running one.
 */
function changeBasics(request: AdminRequest, place: DocumentPlace) {
  return {
    place,
    admit: request.admit,
    ifMatch: request.header("if-match") === "" ? undefined : request.header("if-match"),
    force: request.header("cache-control").includes("must-revalidate"),
    sourceFile: sourceFileOf(request),
    author: request.author,
    cause: causeOf(request),
  };
}

/** Changes the config at a path. @throws ServerError */
async function change(
  engine: ConfigEngine,
  request: AdminRequest,
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  place: DocumentPlace,
): Promise<void> {
  const basics = changeBasics(request, place);
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
    const refusal = `unacceptable content-type: ${contentType}; 'application/json' required`;
    // Checked when the change runs, because an unknown id has precedence.
    await engine.change({
      ...basics,
      method,
      body: () => Promise.reject(new ServerError("ADMIN_REQUEST", refusal)),
    });
    return;
  }
  await engine.change({ ...basics, method, body: await request.body() });
}

/**
 * Returns the config at a path: as text when the client prefers text, otherwise as JSON. The ETag is always the ETag of
 * the JSON.
 */
async function read(
  engine: ConfigEngine,
  adapters: AdapterRegistry,
  request: AdminRequest,
  place: DocumentPlace,
): Promise<AdminReply> {
  const { body, etag, path } = await engine.read(place);
  const text = acceptedText(request.header("accept"), adapters);
  if (text === undefined) {
    const headers = { "Content-Type": "application/json", Etag: etag, Vary: "Accept" };
    return { status: 200, headers, body };
  }
  if (path.segments.length > 1) {
    throw new ServerError(
      "CONFIG_INEXPRESSIBLE",
      `${path.text} is a part of the config; only the whole one, /config/, is written as ${text.mediaType}`,
      { path: path.text },
    );
  }
  const written = await adapters.toText(text.format, JSON.parse(body) as JsonValue);
  const type = `${text.mediaType}; charset=utf-8`;
  return { status: 200, headers: { "Content-Type": type, Etag: etag, Vary: "Accept" }, body: written };
}

/** Answers one request. @throws ServerError ADMIN_METHOD, and errors of reading and changing */
async function handleConfig(
  engine: ConfigEngine,
  adapters: AdapterRegistry,
  request: AdminRequest,
): Promise<AdminReply> {
  const place = parsePlace(request.path);
  switch (request.method) {
    case "GET":
      return read(engine, adapters, request, place);
    case "POST":
    case "PUT":
    case "PATCH":
    case "DELETE":
      await change(engine, request, request.method, place);
      return emptyReply;
    default:
      if (request.path.startsWith("/id/")) {
        await engine.read(place); // an unknown id is reported before the method
      }
      throw new ServerError("ADMIN_METHOD", `method ${request.method} not allowed`);
  }
}

/**
 * `/config/[path]`: reads and changes the live config. `/id/<id>/<rest>`: reads and changes the object whose `@id` is
 * `<id>` when the request runs; `<rest>` is relative to it.
 */
export function configRoutes(engine: ConfigEngine, adapters: AdapterRegistry): AdminRoute[] {
  return ["/config/", "/id/"].map((path) => ({
    path,
    handle: (request) => handleConfig(engine, adapters, request),
  }));
}
