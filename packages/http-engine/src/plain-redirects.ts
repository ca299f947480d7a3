import type { ConnectionLimits } from "./connection-limits.ts";
import type { ConnectionOwner } from "./h1/h1-connection.ts";
import type { HttpStream } from "./http-stream.ts";

/**
 * Answers plain requests on a port of TLS: each is sent to https, same host and port, and its connection
 * ends. Source: the public model, listener wrapper `http_redirect`
 * @param maxHeaderBytes of a request's head
 * @param listener has the time limits, and learns of the end
 */
export function plainRedirects(maxHeaderBytes: number, listener: ConnectionOwner): ConnectionOwner {
  return {
    get limits(): ConnectionLimits {
      return { ...listener.limits, maxHeaderBytes };
    },
    accepting: false, // one answer, and the connection closes
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
