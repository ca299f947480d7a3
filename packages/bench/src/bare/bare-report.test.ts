import { expect, test } from "vitest";
import { measureBare } from "./bare-report.ts";

test.each(["as-engine", "as-collector", "from-rows"] as const)(
  "the engine alone takes all spans of the files, and says what that cost (%s)",
  {
    timeout: 180_000,
  },
  async (manner) => {
    const { rows, parts, bytes, before, inserted, merged } = await measureBare(
      300,
      manner,
      new AbortController().signal,
    );
    expect([rows, parts]).toEqual([300, 1]);
    expect(bytes).toBeGreaterThan(10_000);
    expect(before.cpuSeconds).toBeGreaterThan(0);
    expect(inserted.cpuSeconds).toBeGreaterThan(before.cpuSeconds);
    expect(merged.cpuSeconds).toBeGreaterThanOrEqual(inserted.cpuSeconds);
    expect(merged.seconds).toBeGreaterThan(inserted.seconds);
  },
);
