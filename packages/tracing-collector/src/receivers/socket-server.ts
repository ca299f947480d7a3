import { createServer, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type ServerTls, secureContextOptions } from "lifecycle";
import { endHandshakesOnClose } from "lifecycle/open-handshakes";

/**
 * A server of TCP, or of TLS when `tls` is given. When certificate files change, new connections use the new files; the
 * files are watched until the server closes.
 * @param protocol the protocol that TLS clients are offered
 */
export function socketServerFor(tls: ServerTls | undefined, protocol: "h2" | "http/1.1"): Server {
  // A client of HTTP/1 may end its side after its request, and wait for the answer.
  const options = { noDelay: true, allowHalfOpen: protocol === "http/1.1" };
  if (tls === undefined) {
    return createServer(options);
  }
  const hasClientCa = tls.material.clientCa !== undefined;
  const server = createTlsServer({
    ...options,
    ...secureContextOptions(tls.material),
    ALPNProtocols: [protocol],
    requestCert: hasClientCa,
    rejectUnauthorized: hasClientCa,
  });
  endHandshakesOnClose(server);
  tls.onChange((material) => server.setSecureContext(secureContextOptions(material)));
  server.once("close", () => tls.close());
  return server;
}
