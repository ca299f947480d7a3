import { posix } from "node:path";
import type { HttpRequestHead } from "./http-messages.ts";

/** A target with scheme and authority, as clients send it that take this server for a proxy. */
const absoluteTarget = /^https?:\/\/[^/?]*/i;

/**
 * The normalized path of a request, without scheme, authority and query. An endpoint with a final slash, to which an
 * exporter adds `/v1/traces`, gives `//v1/traces`. Jaeger redirects such a request. Exporters in Java and Node
 * do not follow a redirect of POST, so this server accepts the request directly.
 */
export function requestPath({ url = "" }: Pick<HttpRequestHead, "url">): string {
  const [target = ""] = url.split("?", 1);
  const path = target.startsWith("/") ? target : target.replace(absoluteTarget, "");
  return path.includes("//") || path.includes("/.") ? posix.normalize(path) : path;
}
