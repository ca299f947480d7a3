import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { RunningServer } from "../../../admin-server/src/testing/running-server.ts";

/** For tests: a config with one server of the app on a port of the system's choice. */
export function layer4Config(routes: unknown[], more: object = {}): object {
  return { apps: { layer4: { servers: { s: { listen: ["127.0.0.1:0"], routes, ...more } } } } };
}

/** For tests: port of the first address that is open. */
export function portOf(running: RunningServer): number {
  return Number(new URL(running.site).port);
}

/** For tests: a client that is connected. */
export async function connected(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** For tests: sends bytes, ends, and reads to the end. */
export async function exchange(port: number, bytes: string | Buffer, ends = true): Promise<string> {
  const socket = await connected(port);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  if (ends) {
    socket.end();
  }
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

/** For tests: a server that says its name first, then sends back what it gets. */
export async function namedUpstream(name: string, onSocket?: (socket: Socket) => void): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    onSocket?.(socket);
    socket.write(`${name}:`);
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

export function addressOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
