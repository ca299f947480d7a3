// Checks of the local admin endpoint, in order:
//
// | request | answer |
// |---|---|
// | WebSocket upgrade | 400 |
// | `Sec-Fetch-Mode: no-cors`, except a visit of the console | 400 |
// | `Origin: null` | 400 |
// | `Host` is not the host of an allowed origin (only on TCP, and not on a wildcard address) | 403 |
// | a visit of the console | allowed |
// | neither `Origin` nor `Sec-Fetch-Mode`, and `enforce_origin` is off | allowed |
// | `POST /mcp` without `Origin`, and `enforce_origin` is off | allowed |
// | `Origin`, else `Referer`, is not allowed | 403 |
// | every other request | allowed, with CORS headers |

import type { IncomingMessage } from "node:http";
import { ServerError } from "server-core/errors";
import type { ListenAddress } from "server-core/listen/listen-address";
import type { AdminGate } from "./admin-listener.ts";

/** An allowed origin, or the origin of a request. */
interface Origin {
  /** URL scheme; "" allows any. */
  readonly scheme: string;
  readonly host: string;
}

/** An origin of the config: `localhost:2019` for any scheme, or `https://admin.example`. */
function parseOrigin(text: string): Origin {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?\/\/([^/?#]*)/i.exec(text);
  return match === null ? { scheme: "", host: text } : { scheme: match[1] ?? "", host: match[2] ?? "" };
}

/** Hosts of this machine. An endpoint on one of these hosts allows all three hosts. */
const loopbackHosts = new Set(["localhost", "127.0.0.1", "::1"]);
/** Hosts that mean all addresses. With such a host, any `Host` may lead to the endpoint, so the check ignores it. */
const wildcardHosts = new Set(["", "0.0.0.0", "::"]);

/** Scheme and host of the header `Origin`; without `Origin`, those of `Referer`. */
function originOf(request: IncomingMessage): { readonly text: string; readonly origin: Origin } {
  const text = String(request.headers.origin ?? request.headers.referer ?? "");
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(text);
  return { text, origin: { scheme: match?.[1] ?? "", host: match?.[2] ?? "" } };
}

/**
 * True when a browser requests a file of the console: by an address or a link, or from the console's page. The files
 * are not secret and change nothing. The API requests of the page are checked like all others.
 */
function isConsoleVisit({ method, headers }: IncomingMessage, path: string): boolean {
  if ((method !== "GET" && method !== "HEAD") || (path !== "/ui" && !path.startsWith("/ui/"))) {
    return false;
  }
  const site = headers["sec-fetch-site"];
  const isNavigation = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return headers.origin === undefined && (site === "none" || site === "same-origin" || isNavigation);
}

/**
 * True for a message of an assistant. Programs send the message with `fetch`, which adds browser fields but no origin.
 * Browsers send an origin with every POST.
 */
function isAssistant({ method, headers }: IncomingMessage, path: string): boolean {
  return path === "/mcp" && method === "POST" && headers.origin === undefined;
}

/**
 * Decides which clients may use the admin endpoint. The check protects against DNS rebinding (by `Host`) and cross-site
 * requests (by `Origin`). Source: Caddy 2.11, observed behavior
 */
export class AccessCheck implements AdminGate {
  readonly #allowed: readonly Origin[];
  readonly #checkHost: boolean;
  readonly #enforceOrigin: boolean;

  /** @param address address with the actual port */
  constructor(
    address: ListenAddress,
    config: { readonly origins?: readonly string[]; readonly enforceOrigin: boolean },
  ) {
    this.#enforceOrigin = config.enforceOrigin;
    this.#checkHost = address.network === "tcp" && !wildcardHosts.has(address.host);
    this.#allowed = (config.origins ?? AccessCheck.#defaultOrigins(address)).map(parseOrigin);
  }

  /** Default origins: the endpoint's addresses. A Unix socket has no default origins. */
  static #defaultOrigins(address: ListenAddress): string[] {
    if (address.network !== "tcp") {
      return [];
    }
    const hosts = loopbackHosts.has(address.host) ? ["localhost", "[::1]", "127.0.0.1"] : [address.host];
    return hosts.map(
      (host) => `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${address.port}`,
    );
  }

  /** Allowed clients have all rights, so nothing is checked here. */
  permit(): void {}

  /**
   * Checks a request, in the order of Caddy.
   * @returns the CORS headers of the answer
   * @throws ServerError ADMIN_REQUEST or ADMIN_FORBIDDEN
   */
  check(request: IncomingMessage, host: string, path: string): Record<string, string> {
    const { headers } = request;
    const isVisit = isConsoleVisit(request, path);
    if (
      String(headers.upgrade ?? "")
        .toLowerCase()
        .includes("websocket")
    ) {
      throw new ServerError("ADMIN_REQUEST", "WebSocket connections aren't allowed.");
    }
    const fetchMode = String(headers["sec-fetch-mode"] ?? "");
    if (fetchMode.includes("no-cors") && !isVisit) {
      throw new ServerError("ADMIN_REQUEST", "Disabling same-origin restrictions is not allowed.");
    }
    if (headers.origin === "null") {
      throw new ServerError("ADMIN_REQUEST", "Buggy browser is sending null Origin header.");
    }
    if (
      this.#checkHost &&
      !this.#allowed.some((origin) => origin.host.toLowerCase() === host.toLowerCase())
    ) {
      throw new ServerError("ADMIN_FORBIDDEN", `host not allowed: ${host}`);
    }
    const isProgram = fetchMode === "" || isAssistant(request, path);
    if (isVisit || (!this.#enforceOrigin && headers.origin === undefined && isProgram)) {
      return {};
    }
    const { text, origin } = originOf(request);
    const allowed = this.#allowed.some(
      (each) => (each.scheme === "" || each.scheme === origin.scheme) && each.host === origin.host,
    );
    if (!allowed || origin.host === "") {
      throw new ServerError("ADMIN_FORBIDDEN", `client is not allowed to access from origin '${text}'`);
    }
    return {
      "Access-Control-Allow-Origin": `${origin.scheme}://${origin.host}`,
      ...(request.method === "OPTIONS" && {
        "Access-Control-Allow-Methods": "OPTIONS, GET, POST, PUT, PATCH, DELETE",
        "Access-Control-Allow-Headers": "Content-Type, Content-Length, Cache-Control",
        "Access-Control-Allow-Credentials": "true",
      }),
    };
  }
}
