import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { pump } from "./pump.ts";

test("no more waits for a slow side than may, and all arrives", async () => {
  const from = new PassThrough({ highWaterMark: 1_000_000 });
  const taken: Buffer[] = [];
  const acks: (() => void)[] = [];
  const to = new Writable({
    highWaterMark: 1_000_000,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk);
      acks.push(done);
    },
  });
  pump(from, to, 25);
  let most = 0;
  for (let count = 0; count < 20; count++) {
    from.write(Buffer.alloc(10, count));
  }
  from.end();
  while (!to.writableFinished) {
    await new Promise(setImmediate);
    most = Math.max(most, to.writableLength);
    acks.shift()?.();
  }
  expect(most).toBe(30);
  expect(Buffer.concat(taken)).toHaveLength(200);
});

test("a side that ends ends the other", async () => {
  const from = new PassThrough();
  const to = new PassThrough();
  pump(from, to, 10);
  from.end("last");
  expect(await to.toArray()).toEqual([Buffer.from("last")]);
});

test("a side that was paused before is read", async () => {
  const from = new PassThrough();
  const to = new PassThrough();
  from.pause();
  pump(from, to, 25);
  from.write("first");
  const [chunk] = await once(to, "data");
  expect(String(chunk)).toBe("first");
});
