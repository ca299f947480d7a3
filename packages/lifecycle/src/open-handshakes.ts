import type { Socket } from "node:net";
import { type TLSSocket, Server as TlsServer } from "node:tls";

/** Longest handshake in milliseconds. Node's servers of HTTP/2 wait for two minutes. */
const handshakeTimeoutMs = 10_000;

interface Handshake {
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
}

/**
 * Lets `close` of a TLS server end connections whose handshake has not ended, and ends those that take too long. Servers of HTTP know a
 * connection only after its handshake, so `close` waited for clients that say nothing, such as checks of a load balancer.
 * @param server one without TLS is left as it is
 */
export function endHandshakesOnClose(server: NodeJS.EventEmitter): void {
  if (!(server instanceof TlsServer)) {
    return;
  }
  const open = new Map<string, Handshake>();
  let isClosing = false;
  server.on("listening", () => {
    isClosing = false;
  });
  const end = (peer: string) => {
    clearTimeout(open.get(peer)?.timer);
    open.delete(peer);
  };
  server.on("connection", (socket: Socket) => {
    if (isClosing) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    end(peer);
    open.set(peer, { socket, timer: setTimeout(() => socket.destroy(), handshakeTimeoutMs).unref() });
    socket.once("close", () => {
      if (open.get(peer)?.socket === socket) {
        end(peer);
      }
    });
  });
  server.on("secureConnection", (socket: TLSSocket) => end(peerOf(socket)));
  const close = server.close.bind(server);
  server.close = (callback) => {
    isClosing = true;
    close(callback);
    for (const { socket } of open.values()) {
      socket.destroy();
    }
    return server;
  };
}

/** The same for a connection with and without TLS, and for no other that is open. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
