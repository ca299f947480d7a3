// | request | effect | as the model |
// |---|---|---|
// | `GET /config/path` | the value as JSON, its hash as `ETag` | yes |
// | `GET` with `Accept: text/serverfile` | the whole config as text | ours |
// | `POST` | sets a value, or appends to a list | yes |
// | `PUT` | creates a value, or inserts into a list; 409 when the key exists | yes |
// | `PATCH` | replaces a value; 404 when it is not there | yes |
// | `PATCH` with a JSON Patch or a merge patch | changes parts of the value | ours |
// | `DELETE` | removes a value | yes |
// | `If-Match` with another hash | 412 | yes |
//
// Each change is atomic: the whole new config runs, or the old one goes on and the answer says why it was refused.
// Changes wait for their turn, one after the other.

import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { type AdminReply, type AdminRequest, causeOf, emptyReply } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { type DocumentPlace, parsePlace } from "server-core/tree/document-place";
import { acceptedText } from "./accepted-text.ts";
import { patchTypeOf, readPatch } from "./config-patch.ts";

/** Request header by which the reload command says which file a config came from. */
const sourceFileHeaders = ["server-config-source-file", "caddy-config-source-file"];

/** The file a request says its config came from, in our header or the public model's. */
export function sourceFileOf(request: AdminRequest): string | undefined {
  return sourceFileHeaders.map((name) => request.header(name)).find((value) => value !== "");
}

/**
 * The fields that every change takes from its request. `must-revalidate` in `Cache-Control` loads an equal config
 * again.
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

/** Changes the config at a place. @throws ServerError */
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
    // In its turn, because an unknown id comes first.
    await engine.change({
      ...basics,
      method,
      body: () => Promise.reject(new ServerError("ADMIN_REQUEST", refusal)),
    });
    return;
  }
  await engine.change({ ...basics, method, body: await request.body() });
}

/** The config at a place: as JSON, or as text when the client asks for that. The ETag always belongs to the JSON. */
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

/** Answers one request. @throws ServerError ADMIN_METHOD, and the errors of reading and changing */
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
        await engine.read(place); // an unknown id comes first
      }
      throw new ServerError("ADMIN_METHOD", `method ${request.method} not allowed`);
  }
}

/**
 * `/config/[path]`: reads and changes the live config. `/id/<id>/<rest>`: the same, from the object whose
 * `@id` is `<id>`, wherever it is when the request has its turn.
 */
export function configRoutes(engine: ConfigEngine, adapters: AdapterRegistry): AdminRoute[] {
  return ["/config/", "/id/"].map((path) => ({
    path,
    handle: (request) => handleConfig(engine, adapters, request),
  }));
}
