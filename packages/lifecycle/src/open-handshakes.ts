import type { Socket } from "node:net";
import { type TLSSocket, Server as TlsServer } from "node:tls";

/** Milliseconds of a handshake; a slower client is disconnected. Node's HTTP/2 servers wait for two minutes. */
const handshakeTimeoutMs = 10_000;

interface Handshake {
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
}

/**
 * Ends unfinished handshakes when a TLS server closes, and also handshakes that take too long. HTTP servers see a
 * connection only after its handshake. Without this function, `close` would wait for clients that send nothing, such as
 * checks of a load balancer.
 * @param server a server without TLS is not changed
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

/**
 * A text that is the same for a connection before and after its handshake, and differs for all other open connections.
 */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
