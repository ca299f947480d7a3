import { posix } from "node:path";
import type { HttpRequestHead } from "./http-messages.ts";

/**
 * The normalized path of a request, without its query. An endpoint with a final slash, to which an exporter adds
 * `/v1/traces`, gives `//v1/traces`. The public model redirects such a request. Exporters in Java and Node do not
 * follow a redirect of POST, so this server accepts the request directly.
 */
export function requestPath({ url = "" }: Pick<HttpRequestHead, "url">): string {
  const [path = ""] = url.split("?", 1);
  return path.includes("//") || path.includes("/.") ? posix.normalize(path) : path;
}
