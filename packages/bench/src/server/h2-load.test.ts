import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { startGrpcUpstream } from "./grpc-upstream.ts";
import { runH2Load } from "./h2-load.ts";

test("asks on every stream again and again, and counts what fails", async () => {
  let asked = 0;
  const server = createServer();
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    asked++;
    if (asked % 10 === 0) {
      stream.close(2);
    } else {
      stream.respond({ ":status": 200 });
      stream.end("hello");
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const result = await runH2Load({ url, connections: 2, streams: 4, seconds: 0.2 });
  expect(result.requests).toBeGreaterThan(20);
  expect(result.failed).toBeGreaterThan(0);
  expect(result.failed).toBeLessThan(result.requests / 2);
  server.close();
});

test("asks a gRPC method", async () => {
  const upstream = await startGrpcUpstream();
  const url = `http://${upstream.address}/bench.Echo/Unary`;
  const result = await runH2Load({
    url,
    connections: 1,
    streams: 2,
    seconds: 0.2,
    message: Buffer.alloc(10),
  });
  expect([result.requests > 0, result.failed]).toEqual([true, 0]);
  await upstream.close();
});
