import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { runHandshakes } from "./tls-handshakes.ts";

test("what speaks no TLS counts as failed", async () => {
  const server = createServer((socket: Socket) => socket.on("error", () => {}).end("no TLS here"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const result = await runHandshakes({
    url: `https://localhost:${port}/`,
    headers: [],
    connections: 1,
    seconds: 0.05,
  });
  server.close();
  expect(result.requests).toBe(0);
  expect(result.failed).toBeGreaterThan(0);
});
