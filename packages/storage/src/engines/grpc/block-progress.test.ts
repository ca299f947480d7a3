import { expect, test } from "vitest";
import { BlockProgress } from "./block-progress.ts";

test("remembers the acknowledged parts of a block until it is whole", () => {
  const progress = new BlockProgress();
  progress.partsOf("a").add(3);
  expect([...progress.partsOf("a")]).toEqual([3]);
  expect(progress.isWhole("a")).toBe(false);
  progress.setWhole("a");
  expect(progress.isWhole("a")).toBe(true);
  expect(progress.isWhole("b")).toBe(false);
});

test("forgets a block after 10,000 others", () => {
  const progress = new BlockProgress();
  progress.setWhole("first");
  for (let block = 0; block < 9_999; block++) {
    progress.setWhole(`${block}`);
  }
  expect(progress.isWhole("first")).toBe(true);
  progress.setWhole("last");
  expect(progress.isWhole("first")).toBe(false);
  expect(progress.isWhole("0")).toBe(true);
});
