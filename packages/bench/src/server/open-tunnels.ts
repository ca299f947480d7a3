import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";

/** A server for proxies, which accepts every upgrade and echoes all later bytes. */
export interface EchoUpstream {
  /** `host:port`. */
  readonly address: string;
  close(): void;
}

const atOnce = 100;
const switched =
  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

export async function startEchoUpstream(): Promise<EchoUpstream> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
    let head = "";
    const onHead = (chunk: Buffer) => {
      head += chunk.toString("latin1");
      if (head.includes("\r\n\r\n")) {
        socket.off("data", onHead);
        const isUpgrade = /^upgrade:/im.test(head);
        socket.write(
          isUpgrade ? switched : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
        if (isUpgrade) {
          socket.pipe(socket);
        } else {
          socket.end();
        }
      }
    };
    socket.on("data", onHead);
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1024 });
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
}

/** Maximum number of connections from one address, because the system has about 28,000 ephemeral ports. */
const perAddress = 20_000;

/** Connects to a port of this machine, and uses a new loopback address for each 20,000 connections. */
function connectFrom(index: number, port: number): Socket {
  return connect({
    port,
    host: "127.0.0.1",
    ...(index < perAddress ? {} : { localAddress: `127.0.0.${1 + Math.floor(index / perAddress)}` }),
  });
}

async function openTunnel(port: number, index: number): Promise<Socket> {
  const socket = connectFrom(index, port);
  await once(socket, "connect");
  socket.write(
    "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (!answer.toString("latin1").startsWith("HTTP/1.1 101")) {
    throw new Error(`no tunnel: ${answer.toString("latin1").slice(0, 80)}`);
  }
  return socket;
}

/** Opens a connection, sends a request, and leaves the connection open. */
async function openIdle(port: number, index: number): Promise<Socket> {
  const socket = connectFrom(index, port);
  await once(socket, "connect");
  await askOver(socket);
  return socket;
}

async function openMany(
  count: number,
  signal: AbortSignal,
  openOne: (index: number) => Promise<Socket>,
): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    signal.throwIfAborted();
    const wanted = Math.min(atOnce, count - sockets.length);
    const first = sockets.length;
    sockets.push(
      ...(await Promise.all(Array.from({ length: wanted }, (_, index) => openOne(first + index)))),
    );
  }
  return sockets;
}

/** Opens tunnels through a proxy. @throws Error when a tunnel is refused */
export function openTunnels(port: number, count: number, signal: AbortSignal): Promise<Socket[]> {
  return openMany(count, signal, (index) => openTunnel(port, index));
}

/** Opens connections that have received an answer and are idle. @throws Error when a connection is refused */
export function openIdleConnections(port: number, count: number, signal: AbortSignal): Promise<Socket[]> {
  return openMany(count, signal, (index) => openIdle(port, index));
}

/** Sends a request over a connection. @throws Error when the answer is not 200 */
export async function askOver(socket: Socket): Promise<void> {
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (!answer.toString("latin1").startsWith("HTTP/1.1 200")) {
    throw new Error(`no answer: ${answer.toString("latin1").slice(0, 80)}`);
  }
}

/** Sends a word through a tunnel. @throws Error when the word does not return */
export async function echoThrough(tunnel: Duplex): Promise<void> {
  tunnel.write("word");
  const [answer] = (await once(tunnel, "data")) as [Buffer];
  if (answer.toString() !== "word") {
    throw new Error(`a tunnel gave back ${answer.toString().slice(0, 80)}`);
  }
}
