import { describe, expect, test } from "vitest";
import { SpanRowWriter } from "wire/rows";
import { rowsOf, spanOf } from "../../test/span-rows-fixture.ts";
import { openRecentBatches, RecentBatches } from "./recent-batches.ts";

const batch = (outline = {}) => rowsOf([spanOf(outline), spanOf({ spanId: "00000000000000b2" })]);

function ofTenant(tenant: string) {
  const writer = new SpanRowWriter();
  writer.append(spanOf({}), tenant);
  const rows = writer.take();
  return { ...rows, bytes: Uint8Array.from(rows.bytes) };
}

/** Counts stored batches. @param fails numbers of the attempts that fail, from 0 */
function recentBatches(fails: readonly number[] = [], maxBatches = 100) {
  const clock = { ms: 0 };
  let kept = 0;
  const recent = new RecentBatches({ maxBatches, maxAgeMs: 1_000, now: () => clock.ms });
  const keep = async (rows = batch()) => {
    const answer = recent.keepOnce(rows, async () => {
      const number = kept++;
      await Promise.resolve();
      if (fails.includes(number)) {
        throw new Error("full");
      }
    });
    await answer.kept;
    return answer.isRepeated;
  };
  return { keep, clock, kept: () => kept };
}

describe("RecentBatches", () => {
  test("keeps a batch once, whoever sends the copy", async () => {
    const { keep, kept } = recentBatches();
    expect([await keep(), await keep(), await keep(batch())]).toEqual([false, true, true]);
    expect(kept()).toBe(1);
  });

  test.each([
    ["another time", batch({ startMs: 1_700_000_000_001 })],
    ["another trace", batch({ traceId: "a".repeat(32) })],
    ["more spans", rowsOf([spanOf({}), spanOf({ spanId: "00000000000000b2" }), spanOf({})])],
    ["an attribute", batch({ attributes: { retry: "1" } })],
  ])("keeps a batch that differs: %s", async (_, other) => {
    const { keep } = recentBatches();
    expect([await keep(), await keep(other)]).toEqual([false, false]);
  });

  test("keeps the same batch of another tenant", async () => {
    const { keep } = recentBatches();
    expect([
      await keep(ofTenant("acme")),
      await keep(ofTenant("bcme")),
      await keep(ofTenant("acme")),
    ]).toEqual([false, false, true]);
  });

  test("acknowledges no copy before the first is kept, and none of what could not be kept", async () => {
    const { keep, kept } = recentBatches([0]);
    const [first, copy] = await Promise.allSettled([keep(), keep()]);
    expect([first.status, copy.status]).toEqual(["rejected", "rejected"]);
    expect(kept()).toBe(1);
    expect([await keep(), await keep()]).toEqual([false, true]);
  });

  test("forgets what is old, and the oldest where there are many", async () => {
    const { keep, clock } = recentBatches([], 4);
    await keep();
    clock.ms = 1_500;
    await keep(batch({ startMs: 1 }));
    expect(await keep()).toBe(true);
    clock.ms = 2_600;
    await keep(batch({ startMs: 2 }));
    expect(await keep()).toBe(false);
    for (let startMs = 10; startMs < 15; startMs++) {
      await keep(batch({ startMs }));
    }
    expect(await keep()).toBe(false);
    expect(await keep(batch({ startMs: 14 }))).toBe(true);
  });
});

test("remembers nothing where it is switched off", () => {
  expect(openRecentBatches(0)).toBeUndefined();
  expect(openRecentBatches(1_000)).toBeInstanceOf(RecentBatches);
});
