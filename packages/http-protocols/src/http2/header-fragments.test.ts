import { expect, test } from "vitest";
import { errorCodes } from "./frames.ts";
import { HeaderFragments } from "./header-fragments.ts";

const tooLong = expect.objectContaining({
  code: errorCodes.enhanceYourCalm,
  message: "a header block is over the limit of 5 bytes or 16 frames",
});

test("joins what came in several frames, whose memory is used again", () => {
  const memory = Buffer.from("abcde");
  const fragments = new HeaderFragments(1, 0, memory.subarray(0, 2), 5);
  fragments.add(memory.subarray(2));
  memory.fill(0);
  expect(fragments.join().toString()).toBe("abcde");
});

test("refuses a byte more than allowed", () => {
  const fragments = new HeaderFragments(1, 0, Buffer.from("abc"), 5);
  expect(() => fragments.add(Buffer.from("def"))).toThrow(tooLong);
});

test("refuses fragments without end, though they are empty", () => {
  const fragments = new HeaderFragments(1, 0, Buffer.alloc(0), 5);
  for (let count = 1; count < 16; count++) {
    fragments.add(Buffer.alloc(0));
  }
  expect(() => fragments.add(Buffer.alloc(0))).toThrow(tooLong);
});
