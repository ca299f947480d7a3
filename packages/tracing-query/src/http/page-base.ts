import type { Request } from "express";

/** Paths that are safe in a page as they are: nothing that ends an attribute, and no second slash that names a host. */
const plainPrefix = /^(?:\/[A-Za-z0-9._~-]+)+\/?$/;
const longestPrefix = 256;

/**
 * The address that all addresses of a page are relative to. A proxy in front may strip a prefix of the path and tell nobody, so
 * it is relative to the page's own address: for `/trace/1` it is `../`, whatever the browser has in front of that.
 * `X-Forwarded-Prefix` is for proxies that change more of the path.
 * @param basePath `--query.base-path`: "" or "/some/path"
 */
export function pageBase(request: Pick<Request, "originalUrl" | "get">, basePath: string): string {
  const prefix = request.get("x-forwarded-prefix") ?? "";
  if (prefix.length <= longestPrefix && plainPrefix.test(prefix)) {
    return `${prefix.replace(/\/$/, "")}${basePath}/`;
  }
  const [path = ""] = request.originalUrl.split("?", 1);
  if (basePath !== "" && path === basePath) return `./${basePath.slice(basePath.lastIndexOf("/") + 1)}/`;
  const depth = path.slice(basePath.length).split("/").length - 2;
  return depth > 0 ? "../".repeat(depth) : "./";
}
