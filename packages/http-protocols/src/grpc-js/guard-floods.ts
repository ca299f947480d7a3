import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import { FloodGuard } from "../http2/flood-guard.ts";
import { errorCodes } from "../http2/frames.ts";

/** The method of grpc-js's servers that creates the listening server; sessions are visible nowhere else. */
interface ListeningServer {
  /** Makes the server of a port; the library has no other place to reach its sessions. */
  createHttp2Server: (credentials: unknown) => NodeJS.EventEmitter;
}

/** Bytes of a DATA frame, as Node's server writes them; it tells of bytes only. */
const frameBytes = 16_384;

/**
 * Protects a grpc-js server from clients that flood it with PING, SETTINGS and PRIORITY frames: they get
 * GOAWAY. Node's own limits cover empty DATA frames and cancelled streams. Call it before the server listens.
 */
export function guardFloods(server: Server): void {
  const listening = server as unknown as ListeningServer;
  const create = listening.createHttp2Server.bind(server);
  listening.createHttp2Server = (credentials) => {
    const http2Server = create(credentials);
    http2Server.on("session", guardSession);
    return http2Server;
  };
}

function guardSession(session: ServerHttp2Session): void {
  const guard = new FloodGuard();
  const { socket } = session;
  let seenBytes = 0;
  const countSent = () => {
    for (; socket.bytesWritten - seenBytes >= frameBytes; seenBytes += frameBytes) {
      guard.dataSent();
    }
  };
  const count = () => {
    try {
      countSent();
      guard.idleFrame();
    } catch {
      // Without an error the code given to `destroy` is lost; with one, each stream would have an error too.
      session.goaway(errorCodes.enhanceYourCalm);
      session.destroy();
    }
  };
  session.on("ping", count);
  session.on("remoteSettings", count);
  session.on("priority", count);
  session.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("priority", count);
    stream.once("close", () => guard.streamEnded());
  });
}
