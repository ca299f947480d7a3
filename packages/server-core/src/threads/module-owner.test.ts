import type { Logger } from "lifecycle";
import { expect, test, vi } from "vitest";
import { ModuleOwner } from "./module-owner.ts";

test("a module that fails again and again has a line in a second, which counts the others", () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const log = { error: (_: object, text: string) => lines.push(text) } as unknown as Logger;
    const owner = new ModuleOwner("x.y", log);
    for (let count = 0; count < 5; count++) {
      owner.fail(new Error("x"));
    }
    vi.advanceTimersByTime(1_000);
    owner.fail(new Error("x"));
    expect(lines).toEqual([
      "module x.y: it left an error to nobody",
      "module x.y: it left an error to nobody, and 4 more since the last line",
    ]);
  } finally {
    vi.useRealTimers();
  }
});
