import type { Server } from "node:http";
import type { Socket } from "node:net";

/** Milliseconds after which a new client that sends nothing is disconnected. */
const silentMs = 10_000;

/** The first bytes of HTTP/2 without TLS (RFC 9113, 3.4). No method of HTTP/1 begins like this. */
const preface = Buffer.from("PRI");

interface ConnectionTakers {
  http1(): void;
  http2(): void;
}

/** Passes a connection to HTTP/1 or HTTP/2, depending on its first bytes. */
function route(socket: Socket, { http1, http2 }: ConnectionTakers): void {
  let seen = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const look = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      return;
    }
    seen = Buffer.concat([seen, chunk]);
    const compared = Math.min(seen.length, preface.length);
    const mayBeHttp2 = seen.subarray(0, compared).equals(preface.subarray(0, compared));
    if (mayBeHttp2 && compared < preface.length) {
      return;
    }
    socket.off("readable", look);
    socket.off("timeout", giveUp);
    socket.off("error", giveUp);
    socket.setTimeout(0);
    socket.unshift(seen);
    (mayBeHttp2 ? http2 : http1)();
  };
  socket.setTimeout(silentMs);
  socket.on("timeout", giveUp);
  socket.on("error", giveUp);
  socket.on("readable", look);
}

/**
 * Makes a plain HTTP server share its port with HTTP/2, whose connections go to `takeHttp2`. The server still tracks
 * all connections, and closes when they have ended.
 */
export function shareHttp2(server: Server, takeHttp2: (socket: Socket) => void): void {
  const listeners = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) =>
    route(socket, {
      http1: () => {
        for (const listener of listeners) {
          listener.call(server, socket);
        }
      },
      http2: () => takeHttp2(socket),
    }),
  );
}
