import type { IncomingMessage } from "node:http";
import { posix } from "node:path";

/**
 * The path of a request, without its query and tidied: an endpoint with a final slash, to which an exporter adds
 * `/v1/traces`, gives `//v1/traces`. The public model redirects such a request. Exporters in Java and Node do not follow a
 * redirect of POST, so the request is served here at once.
 */
export function requestPath({ url = "" }: IncomingMessage): string {
  const [path = ""] = url.split("?", 1);
  return path.includes("//") || path.includes("/.") ? posix.normalize(path) : path;
}
