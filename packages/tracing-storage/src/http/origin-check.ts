import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { engineError } from "../engine-error.ts";

function hostName(host: string): string {
  try {
    return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
  } catch {
    return "";
  }
}

function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d+){3}$/.test(host)
  );
}

/**
 * Refuses requests from web pages, because any page can make a browser on this machine send requests to 127.0.0.1. A
 * request from a page of another origin is refused. On a loopback address, other host names are also refused, because
 * an attacker may resolve them to 127.0.0.1. For images and links, browsers send no Origin, but Sec-Fetch-Site has the
 * kind of caller; "none" means the address bar. Clients other than browsers are not affected.
 * @throws EngineError ACCESS_DENIED
 */
export function checkOrigin(request: IncomingMessage): void {
  const host = request.headers.host ?? "";
  const name = hostName(host);
  const local = request.socket.localAddress?.replace(/^::ffff:/, "") ?? "";
  if (host !== "" && isLoopback(local) && !isLoopback(name) && isIP(name) === 0) {
    throw engineError("ACCESS_DENIED", `host ${JSON.stringify(host)} is not a name of this machine`);
  }
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw engineError("ACCESS_DENIED", `requests of web pages of another site are not answered (${site})`);
  }
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw engineError("ACCESS_DENIED", `requests of web pages of ${JSON.stringify(origin)} are not answered`);
  }
}
