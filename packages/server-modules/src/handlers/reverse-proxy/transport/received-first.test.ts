import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { handOnReceivedFirst, hasFailedWrite } from "./received-first.ts";

/** A client's socket that nothing reads yet, and the server's end of the connection. */
async function joined(mostLooks?: number): Promise<[client: Socket, server: Socket]> {
  const listener = createServer({ pauseOnConnect: true }).listen(0, "127.0.0.1");
  onTestFinished(() => void listener.close());
  await once(listener, "listening");
  const client = connect((listener.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const [server] = (await once(listener, "connection")) as [Socket];
  if (client.connecting) {
    await once(client, "connect");
  }
  handOnReceivedFirst(client, mostLooks);
  return [client, server];
}

/** Fills the client's own buffer, and resets the connection. */
async function sendAndReset(client: Socket, server: Socket): Promise<void> {
  client.read(0);
  server.write(Buffer.alloc(10_000, "a"));
  while (client.readableLength < 10_000) {
    await nextTurn();
  }
  server.resetAndDestroy();
  await once(server, "close");
  for (let turn = 0; turn < 5; turn++) {
    await nextTurn();
  }
}

/** @returns number of bytes that the client delivers, and the error after them */
async function readAll(client: Socket): Promise<[bytes: number, error: string]> {
  let bytes = 0;
  client.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const [error] = (await once(client, "error")) as [NodeJS.ErrnoException];
  return [bytes, error.code ?? ""];
}

test("a reset does not take what the socket holds for a slow reader", async () => {
  const [client, server] = await joined();
  await sendAndReset(client, server);
  expect(await readAll(client)).toEqual([10_000, "ECONNRESET"]);
  expect(hasFailedWrite(client)).toBe(false);
});

test("a write that fails does not take it either", async () => {
  const [client, server] = await joined();
  client.read(0);
  server.write(Buffer.alloc(10_000, "a"));
  while (client.readableLength < 10_000) {
    await nextTurn();
  }
  server.resetAndDestroy();
  await once(server, "close");
  client.write("x");
  client.write("y");
  expect(hasFailedWrite(client)).toBe(true);
  const [bytes, error] = await readAll(client);
  expect(bytes).toBe(10_000);
  expect(error).toMatch(/^(ECONNRESET|EPIPE)$/);
});

test("a reader that takes nothing is waited for so many looks, then the socket ends", async () => {
  for (const writes of [false, true]) {
    const [client, server] = await joined(3);
    await sendAndReset(client, server);
    client.pause();
    if (writes) {
      client.write("x");
    }
    const [error] = (await once(client, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/^(ECONNRESET|EPIPE)$/);
    expect(client.destroyed).toBe(true);
  }
});

test("a reader that takes a little between looks gets all of it", async () => {
  const [client, server] = await joined(3);
  await sendAndReset(client, server);
  const failed = once(client, "error");
  let bytes = 0;
  // Ten times as many parts as looks that may find nothing taken.
  while (bytes < 10_000) {
    bytes += (client.read(500) as Buffer).length;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(bytes).toBe(10_000);
  await failed;
});

test("a socket that is given up ends at once, whatever it holds", async () => {
  const [client, server] = await joined();
  await sendAndReset(client, server);
  client.destroy();
  await once(client, "close");
  expect(client.destroyed).toBe(true);
});
