// A collector that accepts all spans and stores none, so that only the agent is measured. It is a separate program,
// which prints the port that it listens on.
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";

/** A gRPC message of no bytes, not compressed. */
const emptyMessage = Buffer.alloc(5);

const server = createServer({ settings: { initialWindowSize: 1 << 20 } });
server.on("stream", (stream: ServerHttp2Stream) => {
  stream.on("error", () => {});
  stream.resume();
  stream.once("end", () => {
    if (stream.destroyed || stream.closed) {
      return; // A slow agent cancels calls that took too long.
    }
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.end(emptyMessage);
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
