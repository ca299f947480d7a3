import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ClientTlsMaterial } from "lifecycle";

export interface CollectorSocketSettings {
  /** IP address of the collector. */
  readonly address: string;
  readonly port: number;
  /** Configured name or address, for the certificate. */
  readonly host: string;
  /** Certificates of the connection; undefined: no TLS. */
  readonly tls: ClientTlsMaterial | undefined;
}

/**
 * Time in milliseconds without data after which TCP keep-alive probes are sent. The system takes minutes to detect a
 * lost peer by these probes. A call fails earlier, by its own time limit.
 */
const keepAliveMs = 30_000;

/**
 * Connects to a collector.
 * @param onConnected called when connected; with TLS, after the handshake
 * @param onError called when connecting failed; never after `onConnected`
 */
export function openCollectorSocket(
  { address, port, host, tls }: CollectorSocketSettings,
  onConnected: () => void,
  onError: (error: Error) => void,
): Socket {
  if (tls === undefined) {
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMs,
    });
    socket.once("error", onError);
    socket.once("connect", () => {
      socket.off("error", onError);
      onConnected();
    });
    return socket;
  }
  const name = tls.serverName ?? host;
  const socket = connectTls({
    host: address,
    port,
    ALPNProtocols: ["h2"],
    minVersion: "TLSv1.2",
    rejectUnauthorized: !tls.skipHostVerify,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  socket.once("error", onError);
  socket.once("secureConnect", () => {
    socket.off("error", onError);
    if (socket.alpnProtocol === "h2") {
      onConnected();
    } else {
      socket.destroy();
      onError(new Error("the server does not speak HTTP/2 over TLS (ALPN)"));
    }
  });
  return socket;
}
