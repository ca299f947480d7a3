import { expect, test } from "vitest";
import { MessageBuffers } from "./unary-grpc/message-buffers.ts";
import { UnfinishedBytes } from "./unfinished-bytes.ts";

test("what one listener has under way, another has no room for", () => {
  const unfinished = new UnfinishedBytes(100_000);
  const [first, second] = [new MessageBuffers(unfinished), new MessageBuffers(unfinished)];
  const buffer = first.take();
  expect(unfinished.bytes).toBe(65_536);
  expect(second.take()).toBeUndefined();
  expect(unfinished.take(40_000)).toBe(false);
  unfinished.give(40_000);
  if (buffer !== undefined) {
    first.give(buffer);
  }
  expect(unfinished.bytes).toBe(0);
  expect(second.take()).toBeDefined();
});
