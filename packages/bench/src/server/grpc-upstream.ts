import { once } from "node:events";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

/** A server for proxies, which answers every unary gRPC call with a small message. */
export interface GrpcUpstream {
  /** Address as `host:port`, for HTTP/2 without TLS. */
  readonly address: string;
  close(): Promise<void>;
}

const message = Buffer.concat([Buffer.from([0, 0, 0, 0, 5]), Buffer.from("hello")]);

export async function startGrpcUpstream(): Promise<GrpcUpstream> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createServer({ settings: { maxConcurrentStreams: 1_000 } });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.resume();
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.end(message);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const session of sessions) {
        session.destroy();
      }
      await closed;
    },
  };
}
