import type { ConnectionLimits } from "./connection-limits.ts";
import type { ConnectionOwner } from "./h1/h1-connection.ts";
import type { HttpStream } from "./http-stream.ts";

/**
 * Redirects plain HTTP requests on a TLS port to https, with the same host and port, and closes their
 * connections. Source: Caddy, listener wrapper `http_redirect`
 * @param maxHeaderBytes limit of the header fields of a plain request
 * @param listener listener of the port: its time limits apply, and `closed` is called for each connection
 */
export function plainRedirects(maxHeaderBytes: number, listener: ConnectionOwner): ConnectionOwner {
  return {
    get limits(): ConnectionLimits {
      return { ...listener.limits, maxHeaderBytes };
    },
    accepting: false, // the connection closes after one answer
    take: redirect,
    fault: (error) => listener.fault(error),
    closed: (connection) => listener.closed(connection),
    detached: (connection, tunnel) => listener.detached(connection, tunnel),
  };
}

function redirect(stream: HttpStream): void {
  const { authority, target } = stream;
  stream.closeAfterwards();
  if (authority === "" || !target.startsWith("/")) {
    stream.respond(400, ["Content-Length", "0"], "");
    return;
  }
  stream.respond(308, ["Location", `https://${authority}${target}`, "Content-Length", "0"], "");
}
