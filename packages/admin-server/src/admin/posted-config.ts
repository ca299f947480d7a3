import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import type { AdapterWarning, AdaptOptions } from "server-core/adapters/config-adapter";
import type { AdminRequest } from "server-core/admin/admin-message";
import { ServerError } from "server-core/errors";
import { encodeJson } from "server-core/json/encode-json";

/** A whole config from a client. */
export interface PostedConfig {
  /** The JSON from the client, or from an adapter. */
  readonly json: Uint8Array;
  /** Warnings of the adapter; empty for JSON. */
  readonly warnings: readonly AdapterWarning[];
  /** True when no adapter was needed. */
  readonly isJson: boolean;
}

/**
 * The format of a body, from its media type. `application/json; charset=utf-8` is `json`, `text/serverfile` is
 * `serverfile`.
 * @returns the part after the slash; the default is `json`
 * @throws ServerError ADMIN_REQUEST
 * Source: Caddy 2.11, observed behavior
 */
export function formatOf(contentType: string): string {
  if (contentType === "") {
    return "json";
  }
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (mediaType === "") {
    throw new ServerError("ADMIN_REQUEST", "invalid Content-Type: mime: no media type");
  }
  const [type = "", format, ...more] = mediaType.split("/");
  if (format === "") {
    throw new ServerError("ADMIN_REQUEST", "invalid Content-Type: mime: expected token after slash");
  }
  if (more.length > 0 || /\s/.test(mediaType)) {
    throw new ServerError(
      "ADMIN_REQUEST",
      "invalid Content-Type: mime: unexpected content after media subtype",
    );
  }
  if (format === undefined || type === "") {
    throw new ServerError("ADMIN_REQUEST", "malformed Content-Type");
  }
  return format;
}

/**
 * Reads the config of a request in any format. An empty body is refused, although Caddy would unload the
 * whole config, because clients never intend this.
 * @throws ServerError ADMIN_REQUEST, CONFIG_ADAPTER
 */
export async function readPostedConfig(
  adapters: AdapterRegistry,
  request: AdminRequest,
  options: AdaptOptions = {},
): Promise<PostedConfig> {
  const format = formatOf(request.header("content-type"));
  const body = await request.body();
  if (body.length === 0) {
    throw new ServerError(
      "ADMIN_REQUEST",
      request.path === "/load"
        ? "the body is empty; to unload the config, DELETE /config/"
        : "the body is empty",
    );
  }
  if (format === "json") {
    return { json: body, warnings: [], isJson: true };
  }
  const { result, warnings } = await adapters.adapt(format, body, options);
  return { json: Buffer.from(encodeJson(result)), warnings, isJson: false };
}

/**
 * Writes `"warnings":[…]` with members in Caddy's order; "" without warnings.
 * The caller writes the braces, because `/adapt` and `/validate` have further members.
 */
export function encodeWarnings(warnings: readonly AdapterWarning[]): string {
  if (warnings.length === 0) {
    return "";
  }
  const each = warnings.map(({ file, line, directive, message }) =>
    JSON.stringify({ file, line, directive, message }),
  );
  return `"warnings":[${each.join(",")}]`;
}
