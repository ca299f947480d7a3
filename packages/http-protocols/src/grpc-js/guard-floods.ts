import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Server } from "@grpc/grpc-js";
import { FloodGuard } from "../http2/flood-guard.ts";
import { errorCodes } from "../http2/frames.ts";
import { UnexplainedBytes } from "./unexplained-bytes.ts";

/** The method of grpc-js's servers that creates the listening server; sessions are visible nowhere else. */
interface ListeningServer {
  /** Creates the server of a port. The library offers no other access to its sessions. */
  createHttp2Server: (credentials: unknown) => NodeJS.EventEmitter;
}

/** Bytes of a DATA frame as Node's server writes it. Node counts sent bytes, not sent frames. */
const frameBytes = 16_384;

/** Interval in milliseconds of the checks of what connections sent. */
const lookEveryMs = 1_000;

/**
 * Protects a grpc-js server from clients that flood it with PING, SETTINGS, PRIORITY and WINDOW_UPDATE frames: they get
 * GOAWAY. Node does not report WINDOW_UPDATE frames. Therefore the bytes that a client sent are compared each second
 * with the frames that Node reports. Node's own limits cover empty DATA frames and cancelled streams. Must be called
 * before the server listens.
 * @param onServer gets the listening server, which the library does not expose otherwise
 */
export function guardFloods(server: Server, onServer: (http2Server: NodeJS.EventEmitter) => void): void {
  const listening = server as unknown as ListeningServer;
  const create = listening.createHttp2Server.bind(server);
  listening.createHttp2Server = (credentials) => {
    const http2Server = create(credentials);
    onServer(http2Server);
    const looks = new Map<ServerHttp2Session, () => void>();
    let timer: NodeJS.Timeout | undefined;
    http2Server.on("session", (session: ServerHttp2Session) => {
      looks.set(session, guardSession(session));
      timer ??= setInterval(() => {
        for (const look of looks.values()) {
          look();
        }
      }, lookEveryMs).unref();
      session.once("close", () => {
        looks.delete(session);
        if (looks.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      });
    });
    return http2Server;
  };
}

/** @returns a function that checks the received bytes, and ends the connection when there are too many */
function guardSession(session: ServerHttp2Session): () => void {
  const guard = new FloodGuard();
  const { socket } = session;
  const unexplained = new UnexplainedBytes(performance.now());
  let seenBytes = 0;
  const sendAway = () => {
    // `destroy` loses the code without an error, and with an error each stream would get the error too.
    session.goaway(errorCodes.enhanceYourCalm);
    session.destroy();
  };
  const countSent = () => {
    for (; socket.bytesWritten - seenBytes >= frameBytes; seenBytes += frameBytes) {
      guard.dataSent();
      unexplained.dataSent();
    }
  };
  const count = () => {
    unexplained.smallFrame();
    try {
      countSent();
      guard.idleFrame();
    } catch {
      sendAway();
    }
  };
  session.on("ping", count);
  session.on("remoteSettings", count);
  session.on("priority", count);
  session.on("stream", (stream: ServerHttp2Stream) => {
    unexplained.streamOpened();
    // `push` is wrapped, because a data listener would take the chunks from their reader.
    const push = stream.push.bind(stream);
    stream.push = (chunk: Uint8Array | null, encoding) => {
      unexplained.chunk(chunk?.length ?? 0);
      return push(chunk, encoding);
    };
    stream.on("priority", count);
    stream.once("close", () => guard.streamEnded());
  });
  return () => {
    if (session.destroyed) {
      return;
    }
    countSent();
    if (!unexplained.look(socket.bytesRead, performance.now())) {
      sendAway();
    }
  };
}
