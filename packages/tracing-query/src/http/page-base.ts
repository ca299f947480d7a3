import type { Request } from "express";

/**
 * Matches prefixes that need no escaping in a page. They contain nothing that ends an attribute, and no double slash,
 * which would start a host name.
 */
const plainPrefix = /^(?:\/[A-Za-z0-9._~-]+)+\/?$/;
const longestPrefix = 256;

/**
 * The base of all URLs in a page. A proxy may strip a path prefix without a header, so the base is relative to the
 * page: for `/trace/1` it is `../`. `X-Forwarded-Prefix` serves proxies that change more of the path.
 * @param basePath `--query.base-path`: "" or "/some/path"
 */
export function pageBase(request: Pick<Request, "originalUrl" | "get">, basePath: string): string {
  const prefix = request.get("x-forwarded-prefix") ?? "";
  if (prefix.length <= longestPrefix && plainPrefix.test(prefix)) {
    return `${prefix.replace(/\/$/, "")}${basePath}/`;
  }
  const [path = ""] = request.originalUrl.split("?", 1);
  if (basePath !== "" && path === basePath) {
    return `./${basePath.slice(basePath.lastIndexOf("/") + 1)}/`;
  }
  const depth = path.slice(basePath.length).split("/").length - 2;
  return depth > 0 ? "../".repeat(depth) : "./";
}
