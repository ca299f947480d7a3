import type { Exchange } from "http-engine/exchange";
import { readPlaceholder } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { textOfBytes } from "server-core/uri/text-of-bytes";

/** Variables of the server that every program inherits. Source: Go, net/http/cgi */
const alwaysPassed = process.platform === "linux" ? ["LD_LIBRARY_PATH"] : [];
/** PATH when the server's own environment has no PATH. Source: Go, net/http/cgi */
const defaultPath = "/bin:/usr/bin:/usr/local/bin";

/** Names for the program's environment that come from the config, not from the request. */
export interface ScriptNames {
  /** Prefix of the request path that names the program. */
  readonly scriptName: string;
  /** The part of the decoded path after this prefix. */
  readonly pathInfo: string;
  /** Path of the program, as in the config. */
  readonly executable: string;
  /** Arguments of the program, with placeholders replaced. */
  readonly args: readonly string[];
}

/** The error for a request that cannot be expressed as environment variables. The client gets 400. */
function refuse(text: string): ServerError {
  return new ServerError("HTTP_BAD_REQUEST", `cannot be given to a CGI program: ${text}`);
}

/** Splits the host and its port. Without a port, the scheme's default port is used. */
function hostAndPort(exchange: Exchange): { readonly name: string; readonly port: string } {
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(exchange.hostport) ?? [];
  return {
    name: name.replace(/^\[|\]$/g, ""),
    port: port ?? (exchange.scheme === "https" ? "443" : "80"),
  };
}

/** Adds header fields as variables. Repeated fields are joined with commas, cookies with semicolons. */
function addFields(variables: Map<string, string>, exchange: Exchange): void {
  const { requestHeaders } = exchange;
  for (let index = 0; index < requestHeaders.length; index += 2) {
    const name = (requestHeaders[index] ?? "").toLowerCase();
    // `Proxy` would become HTTP_PROXY, which programs use as their own proxy (httpoxy, CVE-2016-5385). A name with an
    // underscore would become the same variable as the name with a hyphen, so it could bypass the checks of a proxy in
    // front.
    if (name === "host" || name === "proxy" || name.includes("_") || name.includes("=")) {
      continue;
    }
    const key = `HTTP_${name.replaceAll("-", "_").toUpperCase()}`;
    const known = variables.get(key);
    const value = textOfBytes(requestHeaders[index + 1] ?? "");
    variables.set(key, known === undefined ? value : `${known}${name === "cookie" ? ";" : ","} ${value}`);
  }
}

/**
 * Environment variables that describe the request. For `GET /report/2024?q=1` with `scriptName` `/report`:
 * ```
 * REQUEST_METHOD=GET
 * REQUEST_URI=/report/2024?q=1
 * SCRIPT_NAME=/report
 * PATH_INFO=/2024
 * QUERY_STRING=q=1
 * ```
 * @param contentLength bytes of the body; undefined when there is no body
 * @throws ServerError HTTP_BAD_REQUEST for a line break in the path
 * Source: RFC 3875, section 4.1; Go, net/http/cgi; aksdb/caddy-cgi v2
 */
export function requestVariables(
  exchange: Exchange,
  { scriptName, pathInfo, executable, args }: ScriptNames,
  contentLength: number | undefined,
): Map<string, string> {
  if (/[\0\r\n]/.test(pathInfo)) {
    throw refuse("a line break in the path"); // programs match paths line by line
  }
  const host = hostAndPort(exchange);
  const variables = new Map<string, string>([
    ["GATEWAY_INTERFACE", "CGI/1.1"],
    ["SERVER_SOFTWARE", exchange.server.product],
    ["SERVER_PROTOCOL", exchange.protocol],
    ["SERVER_NAME", textOfBytes(host.name)],
    ["SERVER_PORT", host.port],
    ["HTTP_HOST", textOfBytes(exchange.hostport)],
    ["REQUEST_METHOD", exchange.method],
    ["REQUEST_SCHEME", exchange.scheme],
    ["REQUEST_URI", textOfBytes(exchange.target)],
    ["QUERY_STRING", textOfBytes(exchange.query.slice(1))],
    ["PATH_INFO", pathInfo],
    ["SCRIPT_NAME", scriptName],
    ["SCRIPT_FILENAME", executable],
    ["SCRIPT_EXEC", [executable, ...args].join(" ")],
    ["REMOTE_ADDR", exchange.remoteAddress],
    ["REMOTE_HOST", exchange.remoteAddress],
    ["REMOTE_PORT", String(exchange.socket.remotePort ?? "")],
    ["REMOTE_USER", readPlaceholder(exchange, "http.auth.user.id") ?? ""],
  ]);
  if (exchange.scheme === "https") {
    variables.set("HTTPS", "on");
  }
  if (contentLength !== undefined) {
    variables.set("CONTENT_LENGTH", String(contentLength));
  }
  const type = exchange.header("content-type");
  if (type !== "") {
    variables.set("CONTENT_TYPE", textOfBytes(type));
  }
  addFields(variables, exchange);
  return variables;
}

/** Variables that a program inherits from the server: PATH, and the variables with these names. */
export function inheritedVariables(passed: readonly string[], all: boolean): Map<string, string> {
  const names = all ? Object.keys(process.env) : [...alwaysPassed, ...passed];
  const variables = new Map([["PATH", process.env.PATH || defaultPath]]);
  for (const name of names) {
    const value = process.env[name];
    if (value !== undefined) {
      variables.set(name, value);
    }
  }
  return variables;
}

/**
 * Converts variables to the environment of a child process. @throws ServerError HTTP_BAD_REQUEST for a NUL in a value
 */
export function asEnvironment(variables: ReadonlyMap<string, string>): Record<string, string> {
  const environment: Record<string, string> = Object.create(null);
  for (const [name, value] of variables) {
    if (value.includes("\0")) {
      throw refuse(`a NUL in the variable ${name}`);
    }
    environment[name] = value;
  }
  return environment;
}
