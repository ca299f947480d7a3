import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ReadBuffer } from "./read-buffer.ts";

/** Sizes of the reads of 200,000 bytes. */
async function reads(buffer: ReadBuffer): Promise<number[]> {
  const server = createServer((socket) => socket.end(Buffer.alloc(200_000)));
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const found: number[] = [];
  buffer.take = (bytes) => {
    found.push(bytes.length);
    return false;
  };
  const { port } = server.address() as AddressInfo;
  await once(connect({ port, host: "127.0.0.1", onread: buffer.options }), "close");
  return found;
}

test("no read brings more than the size that was asked for", async () => {
  const found = await reads(new ReadBuffer(1_000));
  expect(Math.max(...found)).toBe(1_000);
  expect(found.reduce((sum, each) => sum + each)).toBe(200_000);
});

test("reads grow where more comes", async () => {
  const found = await reads(new ReadBuffer());
  expect([found[0], Math.max(...found) > 16 * 1024]).toEqual([16 * 1024, true]);
});
