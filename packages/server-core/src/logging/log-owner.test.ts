import { expect, test, vi } from "vitest";
import { LogOwner } from "./log-owner.ts";
import { LogSet } from "./logging.ts";

function failing(fail: () => void) {
  const told: { msg: string; count: number }[] = [];
  const written: string[] = [];
  const base = {
    isConfigured: true,
    isDefault: false,
    level: "info",
    callerSkip: undefined,
    stackRank: Number.POSITIVE_INFINITY,
    rank: 0,
    include: [],
    exclude: [],
    passes: undefined,
    encoder: { encode: () => "line" },
  } as const;
  const set = new LogSet([
    {
      ...base,
      writer: { write: fail },
      owner: new LogOwner("logs/a", (line) => told.push(JSON.parse(line))),
    },
    { ...base, writer: { write: (line) => void written.push(line) }, owner: new LogOwner("logs/b") },
  ]);
  return { logger: set.logger("x"), told, written };
}

test("a writer that throws costs its own lines: whoever logs goes on, and so do other logs", () => {
  const { logger, told, written } = failing(() => {
    throw new Error("disk full");
  });
  logger.log("info", "a", {});
  logger.log("info", "b", {});
  expect(written).toEqual(["line", "line"]);
  expect(told).toMatchObject([{ msg: "log logs/a: writing failed: disk full", count: 1 }]);
});

test("one that goes on failing is told of every ten seconds", () => {
  vi.useFakeTimers();
  try {
    const { logger, told } = failing(() => {
      throw new Error("disk full");
    });
    for (let count = 0; count < 4; count++) {
      logger.log("info", "a", {});
    }
    vi.advanceTimersByTime(10_000);
    logger.log("info", "a", {});
    expect(told.map(({ count }) => count)).toEqual([1, 4]);
  } finally {
    vi.useRealTimers();
  }
});
