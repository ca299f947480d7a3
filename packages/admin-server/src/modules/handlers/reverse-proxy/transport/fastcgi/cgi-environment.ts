import { resolve } from "node:path";
import { cleanPath } from "../../../../../core/uri/request-target.ts";
import type { Exchange } from "../../../../../http/exchange.ts";
import { readPlaceholder } from "../../../../../http/placeholders.ts";
import type { UpstreamRequest } from "../transport.ts";

/** What a request's variables depend on beside the request. */
export interface CgiOptions {
  /** Absolute. */
  readonly root: string;
  /** Path parts after which the rest is `PATH_INFO`: `.php`. Lower case. */
  readonly splitPath: readonly string[];
  /** Variables of the config's own: they win. */
  readonly env: ReadonlyMap<string, string>;
}

/** Where the script's path ends; the whole length where no part is found. ASCII case does not count. */
function splitAt(path: string, parts: readonly string[]): number {
  const lower = path.toLowerCase();
  for (const part of parts) {
    const at = lower.indexOf(part);
    if (at !== -1) {
      return at + part.length;
    }
  }
  return path.length;
}

/** A path below the root: `..` never leads out of it. */
function below(root: string, path: string): string {
  return resolve(root, `.${cleanPath(path.startsWith("/") ? path : `/${path}`)}`);
}

function hostAndPort(exchange: Exchange): { name: string; port: string } {
  const match = /^(.*?)(?::(\d+))?$/.exec(exchange.hostport);
  const name = (match?.[1] ?? "").replace(/^\[|\]$/g, "");
  return { name, port: match?.[2] ?? (exchange.scheme === "https" ? "443" : "80") };
}

/**
 * Variables of a CGI request.
 * Source: RFC 3875, section 4.1; the public model (Caddy 2.11), transport fastcgi
 */
export function cgiEnvironment(
  request: UpstreamRequest,
  exchange: Exchange,
  options: CgiOptions,
  contentLength: number | undefined,
): Map<string, string> {
  const { root, splitPath, env } = options;
  const cut = request.target.indexOf("?");
  const query = cut === -1 ? "" : request.target.slice(cut + 1);
  const path = exchange.cleanedPath;
  const split = splitAt(path, splitPath);
  const script = path.slice(0, split);
  const pathInfo = splitPath.length > 0 ? path.slice(split) : "";
  const info = pathInfo === "" ? (readPlaceholder(exchange, "http.matchers.file.remainder") ?? "") : pathInfo;
  const host = hostAndPort(exchange);
  const { original } = exchange;
  const variables = new Map<string, string>([
    ["AUTH_TYPE", ""],
    ["CONTENT_LENGTH", contentLength === undefined ? "" : String(contentLength)],
    ["CONTENT_TYPE", exchange.header("content-type")],
    ["GATEWAY_INTERFACE", "CGI/1.1"],
    ["PATH_INFO", info],
    ["QUERY_STRING", query],
    ["REMOTE_ADDR", exchange.remoteAddress],
    ["REMOTE_HOST", exchange.remoteAddress],
    ["REMOTE_PORT", String(exchange.socket.remotePort ?? "")],
    ["REMOTE_IDENT", ""],
    ["REMOTE_USER", readPlaceholder(exchange, "http.auth.user.id") ?? ""],
    ["REQUEST_METHOD", request.method],
    ["REQUEST_SCHEME", exchange.scheme],
    ["SERVER_NAME", host.name],
    ["SERVER_PORT", host.port],
    ["SERVER_PROTOCOL", exchange.protocol],
    ["SERVER_SOFTWARE", exchange.server.product],
    ["DOCUMENT_ROOT", root],
    ["DOCUMENT_URI", script],
    ["HTTP_HOST", exchange.hostport],
    ["REQUEST_URI", original.rawPath + original.query],
    ["SCRIPT_FILENAME", below(root, script)],
    ["SCRIPT_NAME", script.startsWith("/") || script === "" ? script : `/${script}`],
  ]);
  if (exchange.socket.localAddress !== undefined) {
    variables.set("SERVER_ADDR", exchange.socket.localAddress.replace(/^::ffff:(?=\d+\.)/i, ""));
  }
  if (info !== "") {
    variables.set("PATH_TRANSLATED", below(root, info));
  }
  if (exchange.scheme === "https") {
    variables.set("HTTPS", "on");
  }
  for (let index = 0; index < request.headers.length; index += 2) {
    const name = (request.headers[index] ?? "").toLowerCase();
    // `Proxy` would become HTTP_PROXY, which programs take for their own proxy (httpoxy, CVE-2016-5385).
    if (name !== "host" && name !== "proxy" && !name.includes("_")) {
      const key = `HTTP_${name.replaceAll("-", "_").toUpperCase()}`;
      const known = variables.get(key);
      const value = request.headers[index + 1] ?? "";
      variables.set(key, known === undefined ? value : `${known}, ${value}`);
    }
  }
  for (const [name, value] of env) {
    variables.set(name, value);
  }
  return variables;
}
