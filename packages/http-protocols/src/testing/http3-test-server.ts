import { randomBytes } from "node:crypto";
import type { Http3RequestStream } from "../http3/request-stream.ts";
import { Http3ServerSession } from "../http3/server-session.ts";
import type { ConnectionSettings } from "../quic/connection/settings.ts";
import { UdpServer } from "../quic/endpoint/udp-server.ts";
import type { Certificate } from "../quic/tls/handshake-messages.ts";
import { selfSignedCertificate } from "./self-signed-der.ts";

export interface Http3TestServer {
  readonly server: UdpServer;
  readonly certificate: Certificate;
  readonly sessions: ReadonlySet<Http3ServerSession>;
  /** Faults of ours that ended a connection. */
  readonly faults: unknown[];
  /** Why connections ended. */
  readonly reasons: string[];
}

/** Sends `total` bytes as fast as the client reads them. */
function sendBytes(request: Http3RequestStream, total: number): { onWritable(): void } {
  let left = total;
  const send = () => {
    while (left > 0) {
      const bytes = Buffer.alloc(Math.min(left, 65_536), left % 251);
      left -= bytes.length;
      if (!request.write(bytes)) {
        return;
      }
    }
    if (left === 0) {
      left = -1;
      request.end();
    }
  };
  send();
  return { onWritable: send };
}

/**
 * An HTTP/3 server for tests. `GET /bytes/<count>` answers `count` bytes. `POST` answers the body with
 * its length as a trailer. Other requests get their method and target.
 * @param retryFrom handshakes from which on clients get a Retry
 */
export async function startHttp3TestServer(
  retryFrom?: number,
  settings: Partial<ConnectionSettings> = {},
): Promise<Http3TestServer> {
  const sessions = new Set<Http3ServerSession>();
  const faults: unknown[] = [];
  const reasons: string[] = [];
  const ticketKey = randomBytes(48);
  const certificate = selfSignedCertificate();
  const server = await UdpServer.listen("127.0.0.1", 0, {
    protocols: ["h3"],
    tickets: { keys: () => [ticketKey] },
    settings,
    ...(retryFrom !== undefined && { retryFrom }),
    chooseCertificate: (_, __, answer) => answer(certificate),
    onConnection: (connection) => {
      const session: Http3ServerSession = new Http3ServerSession(connection, {
        onRequest: (request, head) => {
          const count = /^\/bytes\/(\d+)$/.exec(head.target)?.[1];
          if (head.method === "POST") {
            let bytes = 0;
            request.respond(200, ["content-type", "application/octet-stream"]);
            return {
              onData: (piece) => {
                bytes += piece.length;
                request.write(piece);
                request.consume(piece.length);
              },
              onEnd: () => request.end(head.target === "/plain" ? [] : ["x-length", String(bytes)]),
              onAbort: () => {},
              onWritable: () => {},
            };
          }
          const text = Buffer.from(`${head.method} ${head.authority} ${head.target}`);
          const length = count === undefined ? text.length : Number(count);
          request.respond(103, ["link", "</style.css>"]);
          request.respond(200, [
            "content-type",
            "text/plain",
            "content-length",
            String(length),
            "x-protocol",
            connection.protocol,
          ]);
          let onWritable = () => {};
          if (count === undefined) {
            request.write(text);
            request.end();
          } else {
            onWritable = sendBytes(request, length).onWritable;
          }
          return {
            onData: (piece) => request.consume(piece.length),
            onEnd: () => {},
            onAbort: () => {},
            onWritable: () => onWritable(),
          };
        },
        onClosed: ({ by, code, reason, fault }) => {
          sessions.delete(session);
          reasons.push(`${by} ${code} ${reason}`);
          if (fault !== undefined) {
            faults.push(fault);
          }
        },
      });
      sessions.add(session);
      return session;
    },
  });
  return { server, certificate, sessions, faults, reasons };
}
