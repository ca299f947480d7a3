import type { ConfigEngine } from "../core/engine/config-engine.ts";
import { errorWithin, ServerError } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { type AdminReply, type AdminRequest, emptyReply, jsonReply, requireMethod } from "./admin-message.ts";
import { sourceFileOf } from "./config-routes.ts";

/**
 * Checks that a body is JSON by its media type: none at all, or one that ends in `/json`. The part after the slash of
 * any other names a config adapter, and there are none yet.
 * @throws ServerError CONFIG_ADAPTER, ADMIN_REQUEST
 * Source: the public model (Caddy 2.11), seen running
 */
function requireJson(contentType: string): void {
  if (contentType === "") {
    return;
  }
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (mediaType === "") {
    throw new ServerError("ADMIN_REQUEST", "invalid Content-Type: mime: no media type");
  }
  if (!/^[^\s/]+(?:\/[^\s/]+)?$/.test(mediaType)) {
    throw new ServerError("ADMIN_REQUEST", `invalid Content-Type: ${contentType}`);
  }
  const adapter = mediaType.split("/")[1];
  if (adapter === undefined) {
    throw new ServerError("ADMIN_REQUEST", "malformed Content-Type");
  }
  if (adapter !== "json") {
    throw new ServerError("CONFIG_ADAPTER", `unrecognized config adapter '${adapter}'`);
  }
}

/** The body. An empty one is refused: the model unloads everything then, which nobody means. */
async function requireBody(request: AdminRequest): Promise<Uint8Array> {
  const body = await request.body();
  if (body.length === 0) {
    throw new ServerError("ADMIN_REQUEST", "the body is empty; to unload the config, DELETE /config/");
  }
  return body;
}

/** `POST /load`: replaces the whole config. */
export async function handleLoad(engine: ConfigEngine, request: AdminRequest): Promise<AdminReply> {
  requireMethod(request, "POST");
  requireJson(request.header("content-type"));
  const body = await requireBody(request);
  const sourceFile = sourceFileOf(request);
  try {
    await engine.load(body, {
      force: request.header("cache-control").includes("must-revalidate"),
      ...(sourceFile === undefined ? {} : { sourceFile }),
    });
  } catch (error) {
    throw errorWithin("loading config", error);
  }
  return emptyReply;
}

/** `POST /adapt`: the config as JSON, without loading it. */
export async function handleAdapt(request: AdminRequest): Promise<AdminReply> {
  requireMethod(request, "POST");
  requireJson(request.header("content-type"));
  try {
    return jsonReply(200, { result: parseJson(await requireBody(request)) });
  } catch (error) {
    throw errorWithin("adapting config", error);
  }
}
