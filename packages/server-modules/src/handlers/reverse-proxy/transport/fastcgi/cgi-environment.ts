import { resolve } from "node:path";
import { ServerError } from "server-core/errors";
import { cleanPath } from "server-core/uri/clean-path";
import { percentDecode } from "server-core/uri/percent-encoding";
import { RequestTarget } from "server-core/uri/request-target";
import { bytesOfText } from "server-core/uri/text-of-bytes";
import type { UpstreamRequest } from "../transport.ts";
import type { CgiClient } from "./cgi-client.ts";

/** Parts of a target that become variables. All parts except the query are decoded. */
interface CgiTarget {
  /** Path of the script below the root. */
  readonly script: string;
  /** Path after the script's name (`PATH_INFO`). */
  readonly pathInfo: string;
  /** Query without the `?`. */
  readonly query: string;
}

/** Configured inputs for the variables of a request. */
export interface CgiOptions {
  /** Absolute path of the root. */
  readonly root: string;
  /** Path parts, in lower case, after which the rest is `PATH_INFO`: for example `.php`. */
  readonly splitPath: readonly string[];
  /** Variables from the config, as byte strings. These variables replace computed variables with the same name. */
  readonly env: ReadonlyMap<string, string>;
}

/**
 * The script name in a path: the path up to the end of the first split part. If the path contains no split part, the
 * script name is the whole path; if no parts are configured, it is empty. ASCII case is ignored. Characters that are
 * not ASCII never match a part, whatever their lower case is (U+212A is not `k`).
 */
function scriptOf(path: string, parts: readonly string[]): string {
  if (parts.length === 0) {
    return "";
  }
  // Only ASCII is converted to lower case: other characters may change length, or become ASCII.
  const lower = path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  for (const part of parts) {
    const at = lower.indexOf(part);
    if (at !== -1) {
      return path.slice(0, at + part.length);
    }
  }
  return path;
}

/** The error for a request that a program could read in two ways. The client gets 400. */
function refuse(text: string): ServerError {
  return new ServerError("HTTP_BAD_REQUEST", `cannot be sent on by FastCGI: ${text}`);
}

/** @throws ServerError HTTP_BAD_REQUEST if the escaped and the decoded path name different scripts */
function readTarget(text: string, splitPath: readonly string[]): CgiTarget {
  const target = RequestTarget.parse(text);
  if (typeof target === "string") {
    throw refuse(target);
  }
  const path = cleanPath(target.path);
  const script = scriptOf(path, splitPath);
  if (target.rawPath.includes("%")) {
    // A matcher may have checked the escaped form of the path. Both forms must select the same script.
    const escaped = percentDecode(cleanPath(target.rawPath)) ?? "";
    if (scriptOf(escaped, splitPath) !== script) {
      throw refuse("escaped and decoded paths select different scripts");
    }
  }
  return { script, pathInfo: path.slice(script.length), query: target.query.slice(1) };
}

/** Joins a path to the root so that `..` never leads out. A final slash stays. */
function below(root: string, path: string): string {
  const clean = cleanPath(path.startsWith("/") ? path : `/${path}`);
  return resolve(root, `.${clean}`) + (path.length > 1 && path.endsWith("/") ? "/" : "");
}

/**
 * Splits `Host` into name and port. An IPv6 address without a port keeps its brackets. Source: Go's net.SplitHostPort,
 * used by Caddy
 */
function hostAndPort(client: CgiClient): { name: string; port: string } {
  const [, host = "", port] = /^(.*?)(?::(\d+))?$/.exec(client.hostport) ?? [];
  return port === undefined
    ? { name: host, port: client.scheme === "https" ? "443" : "80" }
    : { name: host.replace(/^\[|\]$/g, ""), port };
}

/** Methods whose body is not a form. */
const withoutForm = new Set(["GET", "HEAD", "OPTIONS"]);

/** Media type of the body. Default: a form, because programs parse a body by themselves only if it is a form. */
function contentType({ contentType: type }: CgiClient, method: string): string {
  return type === "" && !withoutForm.has(method) ? "application/x-www-form-urlencoded" : type;
}

/** Variables of a connection over TLS. Names and values follow Apache's mod_ssl. */
function addTls(variables: Map<string, string>, client: CgiClient): void {
  variables.set("HTTPS", "on");
  const version = client.placeholder("http.request.tls.version") ?? "";
  variables.set("SSL_PROTOCOL", version.replace(/^tls/, "TLSv").replace(/\.0$/, ""));
  variables.set("SSL_CIPHER", client.placeholder("http.request.tls.cipher_suite") ?? "");
}

/** Header fields as variables: `X-Real-IP` becomes HTTP_X_REAL_IP. Repeated fields are joined with commas. */
function addFields(variables: Map<string, string>, { headers }: UpstreamRequest): void {
  for (let index = 0; index < headers.length; index += 2) {
    const name = (headers[index] ?? "").toLowerCase();
    // `Proxy` would become HTTP_PROXY, which programs use as their own proxy (httpoxy, CVE-2016-5385).
    if (name !== "host" && name !== "proxy" && !name.includes("_")) {
      const key = `HTTP_${name.replaceAll("-", "_").toUpperCase()}`;
      const known = variables.get(key);
      const value = headers[index + 1] ?? "";
      variables.set(key, known === undefined ? value : `${known}, ${value}`);
    }
  }
}

/**
 * Variables of a CGI request, as byte strings: text is encoded as UTF-8. Example: root `/srv`, split `.php`,
 * target `/app/index.php/item/7?q=1`:
 * ```
 * SCRIPT_NAME=/app/index.php
 * SCRIPT_FILENAME=/srv/app/index.php
 * PATH_INFO=/item/7
 * PATH_TRANSLATED=/srv/item/7
 * QUERY_STRING=q=1
 * REQUEST_URI=/app/index.php/item/7?q=1
 * ```
 * @throws ServerError HTTP_BAD_REQUEST for a path that programs could read as a different path
 * Source: RFC 3875, section 4.1; Caddy 2.11, transport fastcgi
 */
export function cgiEnvironment(
  request: UpstreamRequest,
  client: CgiClient,
  options: CgiOptions,
  contentLength: number | undefined,
): Map<string, string> {
  const { root, splitPath, env } = options;
  const { script, pathInfo, query } = readTarget(request.target, splitPath);
  const info = pathInfo === "" ? (client.placeholder("http.matchers.file.remainder") ?? "") : pathInfo;
  if (/[\0\r\n]/.test(script + info)) {
    // Programs and their configurations match paths line by line (CVE-2019-11043).
    throw refuse("a line break in the path");
  }
  const host = hostAndPort(client);
  const variables = new Map<string, string>([
    ["AUTH_TYPE", ""],
    ["CONTENT_LENGTH", String(contentLength ?? 0)],
    ["CONTENT_TYPE", contentType(client, request.method)],
    ["GATEWAY_INTERFACE", "CGI/1.1"],
    ["PATH_INFO", bytesOfText(info)],
    ["QUERY_STRING", query],
    ["REMOTE_ADDR", client.remoteAddress],
    ["REMOTE_HOST", client.remoteAddress],
    ["REMOTE_PORT", client.remotePort],
    ["REMOTE_IDENT", ""],
    ["REMOTE_USER", bytesOfText(client.placeholder("http.auth.user.id") ?? "")],
    ["REQUEST_METHOD", request.method],
    ["REQUEST_SCHEME", client.scheme],
    ["SERVER_NAME", host.name],
    ["SERVER_PORT", host.port],
    ["SERVER_PROTOCOL", client.protocol],
    ["SERVER_SOFTWARE", bytesOfText(client.product)],
    ["DOCUMENT_ROOT", bytesOfText(root)],
    ["DOCUMENT_URI", bytesOfText(script)],
    ["HTTP_HOST", client.hostport],
    ["REQUEST_URI", client.uri],
    ["SCRIPT_FILENAME", bytesOfText(below(root, script))],
    ["SCRIPT_NAME", bytesOfText(script)],
  ]);
  if (client.localAddress !== undefined) {
    variables.set("SERVER_ADDR", client.localAddress.replace(/^::ffff:(?=\d+\.)/i, ""));
  }
  if (info !== "") {
    variables.set("PATH_TRANSLATED", bytesOfText(below(root, info)));
  }
  if (client.scheme === "https") {
    addTls(variables, client);
  }
  addFields(variables, request);
  for (const [name, value] of env) {
    if (value.includes("\0")) {
      throw refuse(`a NUL in the variable ${name}`);
    }
    variables.set(name, value);
  }
  return variables;
}
