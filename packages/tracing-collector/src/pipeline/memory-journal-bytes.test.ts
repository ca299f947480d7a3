import { totalmem } from "node:os";
import { expect, test } from "vitest";
import { memoryJournalBytes } from "./memory-journal-bytes.ts";

test("is what was asked for, as long as half of the memory is left", () => {
  expect(memoryJournalBytes(1_000, 2_000)).toBe(1_000);
  expect(memoryJournalBytes(1_001, 2_000)).toBe(1_000);
  expect(memoryJournalBytes(2 ** 30, 512 * 2 ** 20)).toBe(256 * 2 ** 20);
  expect(memoryJournalBytes(Number.MAX_SAFE_INTEGER)).toBeLessThanOrEqual(totalmem() / 2);
  expect(memoryJournalBytes(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0);
});
