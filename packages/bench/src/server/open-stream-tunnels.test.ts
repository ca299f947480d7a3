import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openStreamTunnels } from "./open-stream-tunnels.ts";
import { echoThrough } from "./open-tunnels.ts";

async function listen(enableConnectProtocol: boolean): Promise<{ port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer({ settings: { enableConnectProtocol } });
  server.on("session", () => {
    connections++;
  });
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200 });
    stream.pipe(stream);
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

test("opens as many as asked for, a hundred on a connection, and each gives back what it got", async () => {
  const { port, connections } = await listen(true);
  const tunnels = await openStreamTunnels(port, 120, new AbortController().signal);
  expect([tunnels.length, connections()]).toEqual([120, 2]);
  await Promise.all(tunnels.map((tunnel) => echoThrough(tunnel)));
  for (const tunnel of tunnels) {
    tunnel.destroy();
  }
});

test("a server that offers none is told so", async () => {
  const { port } = await listen(false);
  await expect(openStreamTunnels(port, 1, new AbortController().signal)).rejects.toThrow("RFC 8441");
});
