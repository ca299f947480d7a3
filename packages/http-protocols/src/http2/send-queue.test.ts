import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { FrameReader } from "./frame-reader.ts";
import { FrameWriter } from "./frame-writer.ts";
import { frameTypes } from "./frames.ts";
import { SendQueue } from "./send-queue.ts";

/** A writer, and the DATA frames that it wrote: length and end. */
function collect() {
  const frames: [bytes: number, ends: boolean][] = [];
  const reader = new FrameReader({
    frame: (type, flags, _streamId, payload) => {
      if (type === frameTypes.data) {
        frames.push([payload.length, (flags & 1) !== 0]);
      }
    },
  });
  const socket = {
    destroyed: false,
    writableEnded: false,
    writableLength: 0,
    cork() {},
    uncork() {},
    write(bytes: Buffer) {
      reader.push(bytes);
      return true;
    },
  };
  const writer = new FrameWriter(socket as unknown as Socket, () => {});
  return {
    writer,
    frames() {
      writer.flush();
      return frames;
    },
  };
}

test("sends no more than the windows and a frame take, and the end with the last piece", () => {
  const { writer, frames } = collect();
  const queue = new SendQueue(1, 20_000);
  queue.push(Buffer.alloc(40_000));
  queue.end();
  expect(queue.sendFrame(writer, 1_000_000, false)).toBe(16_384);
  expect(queue.sendFrame(writer, 1_000, false)).toBe(1_000);
  expect(queue.sendFrame(writer, 1_000_000, false)).toBe(2_616);
  expect([queue.sendFrame(writer, 1_000_000, false), queue.isReady, queue.isOver]).toEqual([0, false, false]);
  queue.windowBytes += 50_000;
  expect(queue.sendFrame(writer, 1_000_000, false)).toBe(16_384);
  expect(queue.sendFrame(writer, 1_000_000, false)).toBe(3_616);
  expect(queue.isOver).toBe(true);
  expect(frames()).toEqual([
    [16_384, false],
    [1_000, false],
    [2_616, false],
    [16_384, false],
    [3_616, true],
  ]);
});

test("leaves the end to trailers", () => {
  const { writer, frames } = collect();
  const queue = new SendQueue(1, 100);
  queue.push(Buffer.alloc(10));
  queue.end();
  queue.sendFrame(writer, 100, true);
  expect([queue.isAtEnd, queue.isOver, frames()]).toEqual([true, false, [[10, false]]]);
});

test("asks its writer to wait, and says when there is room again", async () => {
  const { writer } = collect();
  const queue = new SendQueue(1, 1_000_000);
  queue.push(Buffer.alloc(40_000));
  expect(queue.isFull).toBe(true);
  const drained = new Promise<void>((resolve) => queue.onceDrain(resolve));
  queue.sendFrame(writer, 1_000_000, false);
  await drained;
  expect(queue.isFull).toBe(false);
});
