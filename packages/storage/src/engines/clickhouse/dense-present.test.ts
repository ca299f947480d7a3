import { expect, test } from "vitest";
import { DensePresent } from "./search-lookback-memory.ts";

test("a service's present minute is dense for ten seconds, for its tenant alone", () => {
  const dense = new DensePresent();
  expect(dense.knows({ service: "a", limit: 1 }, "t", 0)).toBe(false);
  dense.note({ service: "a", limit: 1 }, "t", 5_000);
  expect(dense.knows({ service: "a", operation: "o", limit: 20 }, "t", 14_999)).toBe(true);
  expect(dense.knows({ service: "a", limit: 1 }, "t", 15_000)).toBe(false);
  expect(dense.knows({ service: "b", limit: 1 }, "t", 5_001)).toBe(false);
  expect(dense.knows({ service: "a", limit: 1 }, "u", 5_001)).toBe(false);
});

test("the oldest is forgotten past 1,024", () => {
  const dense = new DensePresent();
  for (let index = 0; index <= 1_024; index++) {
    dense.note({ service: String(index), limit: 1 }, "", 0);
  }
  expect(dense.knows({ service: "0", limit: 1 }, "", 1)).toBe(false);
  expect(dense.knows({ service: "1", limit: 1 }, "", 1)).toBe(true);
  expect(dense.knows({ service: "1024", limit: 1 }, "", 1)).toBe(true);
});
