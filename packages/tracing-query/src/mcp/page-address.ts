import type { Request } from "express";

const plainPrefix = /^(?:\/[A-Za-z0-9._~-]+)+$/;
const plainHost = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const longest = 256;

/**
 * URL of a UI page for the client of this request, also behind a proxy. A header
 * that is not a plain address is ignored; the result is then a path.
 * @param basePath `--query.base-path`: "" or "/some/path"
 * @param path starts with a slash
 */
export function pageAddress(
  request: Pick<Request, "get" | "protocol">,
  basePath: string,
  path: string,
): string {
  const [forwardedHost = ""] = (request.get("x-forwarded-host") ?? "").split(",", 1);
  const host = forwardedHost.trim() || (request.get("host") ?? "");
  const prefix = (request.get("x-forwarded-prefix") ?? "").replace(/\/$/, "");
  const base = prefix.length <= longest && plainPrefix.test(prefix) ? `${prefix}${basePath}` : basePath;
  if (host.length > longest || !plainHost.test(host)) {
    return `${base}${path}`;
  }
  const [proto = ""] = (request.get("x-forwarded-proto") ?? "").split(",", 1);
  const scheme = /^https?$/.test(proto.trim()) ? proto.trim() : request.protocol;
  return `${scheme}://${host}${base}${path}`;
}
