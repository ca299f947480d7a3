import { expect, test } from "vitest";
import { mostSaved, searchWords, withoutSaved, withRecent, withSaved } from "./kept-searches.ts";

const none = { recent: [], saved: [] };

test("recent searches come once, the newest first, and are bounded", () => {
  let kept = withRecent(withRecent(withRecent(none, "a"), "b"), "a");
  expect(kept.recent).toEqual(["a", "b"]);
  for (let index = 0; index < 40; index += 1) {
    kept = withRecent(kept, String(index));
  }
  expect(kept.recent).toHaveLength(12);
});

test("a name is saved once, and removed", () => {
  const kept = withSaved(withSaved(none, { address: "a", name: "slow" }), { address: "b", name: "slow" });
  expect(kept.saved).toEqual([{ address: "b", name: "slow" }]);
  expect(withoutSaved(kept, "slow").saved).toEqual([]);
  const full = {
    ...none,
    saved: Array.from({ length: mostSaved }, (_, index) => ({ address: "", name: `${index}` })),
  };
  expect(withSaved(full, { address: "a", name: "one more" })).toBe(full);
});

test.each([
  ["", "all services · 1h"],
  ["service=cart&tags=error%3Dtrue&minDuration=5ms&lookback=15m", "cart error=true ≥ 5ms · 15m"],
  ["q=%7B+%7D&lookback=custom", "{ }"],
])("%s is told as %s", (address, words) => {
  expect(searchWords(address)).toBe(words);
});
