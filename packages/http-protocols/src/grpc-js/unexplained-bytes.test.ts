import { expect, test } from "vitest";
import { UnexplainedBytes } from "./unexplained-bytes.ts";

const updateBytes = 13;

test("2,000,000 updates of a window in a second are too many, and 20,000 a minute are not", () => {
  const flood = new UnexplainedBytes(0);
  expect(flood.look(2_000_000 * updateBytes, 1_000)).toBe(false);
  const busy = new UnexplainedBytes(0);
  for (let minute = 1; minute <= 600; minute++) {
    expect(busy.look(minute * 20_000 * updateBytes, minute * 60_000)).toBe(true);
  }
});

test("a minute without a byte allows no more than was allowed at first", () => {
  const bytes = new UnexplainedBytes(0);
  expect(bytes.look(0, 86_400_000)).toBe(true);
  expect(bytes.look(100_000 * updateBytes, 86_401_000)).toBe(false);
});

test("what streams bring is no flood, however much it is and however small its frames are", () => {
  const bytes = new UnexplainedBytes(0);
  let read = 0;
  for (let second = 1; second <= 20; second++) {
    bytes.streamOpened();
    read += 4_000;
    for (let frame = 0; frame < 20_000; frame++) {
      bytes.chunk(5);
      read += 5 + 9 + 29;
    }
    expect(bytes.look(read, second * 1_000)).toBe(true);
  }
});

test("a download earns the updates that it takes", () => {
  const bytes = new UnexplainedBytes(0);
  let read = 0;
  for (let second = 1; second <= 20; second++) {
    for (let frame = 0; frame < 60_000; frame++) {
      bytes.dataSent();
      // Two updates and a PING.
      read += 2 * (updateBytes + 29) + 17 + 29;
    }
    expect(bytes.look(read, second * 1_000)).toBe(true);
  }
});
