import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import { FloodGuard } from "../http2/flood-guard.ts";
import { errorCodes } from "../http2/frames.ts";

/** The part of grpc-js' servers that makes what listens: it has no other place where sessions can be seen. */
interface ListeningServer {
  createHttp2Server: (credentials: unknown) => NodeJS.EventEmitter;
}

/**
 * Sends clients of a grpc-js server away with GOAWAY that flood it with frames which move nothing: PING, SETTINGS, PRIORITY.
 * Node's own limits see to empty DATA and to streams that are broken off. Call it before the server listens.
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
  const count = () => {
    try {
      guard.idleFrame();
    } catch {
      session.destroy(undefined, errorCodes.enhanceYourCalm);
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
