import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { TcpBalancer } from "./tcp-balancer.ts";

/** A server that first sends its name, and then echoes all bytes. */
async function listen(name: string): Promise<{ address: string; sockets: Set<Socket>; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(name);
    socket.pipe(socket);
  });
  const close = () => {
    server.close();
    for (const socket of sockets) {
      socket.resetAndDestroy();
    }
  };
  onTestFinished(close);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, close };
}

async function openBalancer(...backends: string[]): Promise<{ balancer: TcpBalancer; open(): Socket }> {
  const balancer = new TcpBalancer(...backends);
  onTestFinished(() => balancer.close());
  const [host = "", port = ""] = (await balancer.open()).split(":");
  return { balancer, open: () => connect({ host, port: Number(port), allowHalfOpen: true }) };
}

async function talk(socket: Socket): Promise<string> {
  socket.end(", hello");
  return await text(socket);
}

test("gives each connection to the next backend, and to those that came later", async () => {
  const [a, b] = [await listen("a"), await listen("b")];
  const { balancer, open } = await openBalancer(a.address);
  expect([await talk(open()), await talk(open())]).toEqual(["a, hello", "a, hello"]);
  balancer.backends.push(b.address);
  const answers = [await talk(open()), await talk(open()), await talk(open()), await talk(open())];
  expect(answers.sort()).toEqual(["a, hello", "a, hello", "b, hello", "b, hello"]);
});

test("leaves a connection where it is, and breaks it with its backend", async () => {
  const [a, b] = [await listen("a"), await listen("b")];
  const { balancer, open } = await openBalancer(a.address, b.address);
  const client = open();
  await once(client, "data");
  expect([balancer.connections, a.sockets.size, b.sockets.size]).toEqual([1, 1, 0]);
  const broken = once(client, "error");
  a.close();
  expect(await broken).toMatchObject([{ code: "ECONNRESET" }]);
  // The balancer does not know that `a` has ended, so `a` still has its turn.
  expect(await talk(open())).toBe("b, hello");
  await expect(talk(open())).rejects.toMatchObject({ code: "ECONNRESET" });
});
