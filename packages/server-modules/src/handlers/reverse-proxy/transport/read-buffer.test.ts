import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ReadBuffer } from "./read-buffer.ts";
import { SharedMemory } from "./shared-memory.ts";

const largeBytes = 100_000;

/** The result for 400,000 bytes; each read is taken by `take`. */
async function reads(buffer: ReadBuffer, take: (bytes: Buffer) => boolean = () => false): Promise<number[]> {
  const server = createServer((socket) => socket.end(Buffer.alloc(400_000)));
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const found: number[] = [];
  buffer.take = (bytes) => {
    found.push(bytes.length);
    return take(bytes);
  };
  const { port } = server.address() as AddressInfo;
  await once(connect({ port, host: "127.0.0.1", onread: buffer.options }), "close");
  expect(found.reduce((sum, each) => sum + each)).toBe(400_000);
  return found;
}

test("no read brings more than the size that was asked for", async () => {
  const found = await reads(new ReadBuffer(1_000));
  expect(Math.max(...found)).toBe(1_000);
});

test("reads grow where more comes, into memory that is borrowed", async () => {
  const memory = new SharedMemory(largeBytes, 1);
  const buffer = new ReadBuffer(0, memory);
  const found = await reads(buffer);
  expect(found[0]).toBe(16 * 1024);
  expect(Math.max(...found)).toBe(largeBytes);
  expect(memory.lent).toBe(1);
  buffer.close();
  buffer.close();
  expect(memory.lent).toBe(0);
});

test("reads grow less when all of that memory is lent", async () => {
  const memory = new SharedMemory(largeBytes, 1);
  memory.borrow();
  const buffer = new ReadBuffer(0, memory);
  const found = await reads(buffer);
  expect(Math.max(...found)).toBe(64 * 1024);
  buffer.close();
  expect(memory.lent).toBe(1);
});

test("a response that is over gives the memory back", async () => {
  const memory = new SharedMemory(largeBytes, 1);
  const buffer = new ReadBuffer(0, memory);
  const seen = new Set<ArrayBufferLike>();
  const lent: number[] = [];
  await reads(buffer, (bytes) => {
    seen.add(bytes.buffer);
    lent.push(memory.lent);
    buffer.rest();
    return false;
  });
  expect(Math.max(...lent)).toBe(0); // the buffer was idle after the first read, before it grew
  expect(seen.size).toBe(1);
});

test.each([
  ["a small read", 0],
  ["a large read", 20_000],
])("what the taker still needs is not written to again: %s", async (_, from) => {
  const memory = new SharedMemory(largeBytes, 1);
  const buffer = new ReadBuffer(0, memory);
  const kept: ArrayBufferLike[] = [];
  const others: ArrayBufferLike[] = [];
  let total = 0;
  await reads(buffer, (bytes) => {
    total += bytes.length;
    const keeps = total > from && kept.length === 0;
    (keeps ? kept : kept.length === 0 ? [] : others).push(bytes.buffer);
    return keeps;
  });
  expect(kept).toHaveLength(1);
  expect(others.length).toBeGreaterThan(0);
  expect(others).not.toContain(kept[0]);
  expect(memory.lent).toBeLessThanOrEqual(1);
});

test.each([
  [false, true],
  [true, false],
])(
  "large memory of a response that is over is lent again unless it is still needed: %s",
  async (keeps, lentAgain) => {
    const memory = new SharedMemory(largeBytes, 1);
    const buffer = new ReadBuffer(0, memory);
    let large: ArrayBufferLike | undefined;
    let isSame: boolean | undefined;
    await reads(buffer, (bytes) => {
      if (large === undefined && bytes.buffer.byteLength === largeBytes) {
        large = bytes.buffer;
        buffer.rest();
        return keeps;
      }
      if (large !== undefined && isSame === undefined) {
        const next = memory.borrow() as Buffer;
        isSame = next.buffer === large;
        memory.giveBack(next);
      }
      return false;
    });
    expect(isSame).toBe(lentAgain);
  },
);
