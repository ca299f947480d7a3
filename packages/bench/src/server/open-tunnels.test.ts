import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { askOver, echoThrough, openIdleConnections, openTunnels, startEchoUpstream } from "./open-tunnels.ts";

test("opens as many as asked for, and each gives back what it got", async () => {
  const upstream = await startEchoUpstream();
  const port = Number(upstream.address.split(":").at(-1));
  const tunnels = await openTunnels(port, 120, new AbortController().signal);
  expect(tunnels).toHaveLength(120);
  await Promise.all(tunnels.map((tunnel) => echoThrough(tunnel)));
  for (const tunnel of tunnels) {
    tunnel.destroy();
  }
  upstream.close();
});

test("idle connections had an answer, and get another", async () => {
  const server = createServer((_, response) => response.end("x")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const sockets = await openIdleConnections(port, 120, new AbortController().signal);
  expect(sockets).toHaveLength(120);
  await Promise.all(sockets.map((socket) => askOver(socket)));
  for (const socket of sockets) {
    socket.destroy();
  }
  server.close();
});
