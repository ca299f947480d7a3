import { expect, test, vi } from "vitest";
import { logTimeMs } from "./log-clock.ts";

test("a time is within the millisecond that the clock says, and goes on", () => {
  let last = 0;
  for (let round = 0; round < 50; round++) {
    const before = Date.now();
    const time = logTimeMs();
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThan(Date.now() + 1);
    expect(time).toBeGreaterThanOrEqual(last);
    last = time;
  }
});

test("a clock that is set anew is followed, forward and back", () => {
  const clock = vi.spyOn(Date, "now");
  try {
    for (const ms of [1_700_000_000_000, 1_800_000_000_000, 1_600_000_000_000]) {
      clock.mockReturnValue(ms);
      expect(Math.floor(logTimeMs())).toBe(ms);
    }
  } finally {
    clock.mockRestore();
  }
});
