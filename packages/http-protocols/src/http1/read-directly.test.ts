import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readDirectly } from "./read-directly.ts";

async function pair(): Promise<{ client: Socket; served: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [served] = await accepted;
  onTestFinished(() => {
    client.destroy();
    served.destroy();
    server.close();
  });
  return { client, served };
}

test("chunks come once each, in order, also those of a pause, and then the end", async () => {
  const { client, served } = await pair();
  let taken = "";
  const take = (chunk: Buffer) => {
    taken += chunk.toString();
    served.emit("taken");
  };
  served.on("data", take);
  readDirectly(served, take);
  for (const part of ["one ", "two ", "three "]) {
    const seen = once(served, "taken");
    client.write(part);
    await seen;
  }
  served.pause();
  client.end("x".repeat(200_000));
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBe("one two three ");
  const ended = once(served, "end");
  served.resume();
  await ended;
  expect(taken).toBe(`one two three ${"x".repeat(200_000)}`);
});

test("once it is ended, the socket is a stream like any other", async () => {
  const { client, served } = await pair();
  const take = () => served.emit("taken");
  served.on("data", take);
  const end = readDirectly(served, take);
  const seen = once(served, "taken");
  client.write("head");
  await seen;
  served.pause();
  served.off("data", take);
  end();
  served.unshift(Buffer.from("what was too much, "));
  client.end("and the rest");
  expect(await text(served)).toBe("what was too much, and the rest");
});
