import { createLogger, createMetrics } from "lifecycle";
import type { CompareDerived, DerivedDifference } from "trace-store";
import { expect, test } from "vitest";
import { DerivedWatch } from "./derived-watch.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const url = "http://ch1:8123/";

/** A watch over two days. Tests define the differences, and who has the lease. */
function watched(repair = false) {
  const state = {
    hasLease: true,
    differences: [] as DerivedDifference[],
    compared: [] as string[],
    degraded: undefined as string | undefined,
    fault: undefined as Error | undefined,
  };
  const compare: CompareDerived = async ({ skips, onDay }) => {
    if (state.fault !== undefined) {
      throw state.fault;
    }
    for (const day of ["2026-11-24", "2026-11-25"]) {
      if (skips?.(day, url) !== true) {
        onDay?.(day, url);
        state.compared.push(day);
      }
    }
    return { days: 2, spans: 100, differences: state.differences };
  };
  const metrics = createMetrics("test");
  const watch = new DerivedWatch(
    {
      ...{ compare, log, metrics },
      leases: { acquireLease: async () => state.hasLease },
      health: {
        degrade(_, reason) {
          state.degraded = reason;
        },
      },
    },
    { intervalMs: 1_000, repair },
  );
  return { state, watch, metrics };
}

const lacking: DerivedDifference = {
  ...{ table: "span_metrics", day: "2026-11-25", url, counts: "calls", missing: 610, surplus: 0 },
  isRepaired: false,
};

test("compares each good day once, and a day that differs until it is put right", async () => {
  const { state, watch, metrics } = watched();
  state.differences = [lacking];
  await watch.look();
  expect(state.degraded).toBe(
    "tables filled from spans lack some: span_metrics lacks 610 calls of 2026-11-25; tracing-storage schema --check --repair adds them",
  );
  expect(await metrics.metrics()).toContain('tracing_collector_derived_missing{table="span_metrics"} 610\n');
  state.differences = [];
  await watch.look();
  expect(state.degraded).toBeUndefined();
  await watch.look();
  expect(state.compared).toEqual(["2026-11-24", "2026-11-25", "2026-11-25"]);
  expect(await metrics.metrics()).not.toContain('tracing_collector_derived_missing{table="span_metrics"}');
});

test("counts what it added, and is not degraded then", async () => {
  const { state, watch, metrics } = watched(true);
  state.differences = [{ ...lacking, isRepaired: true }];
  await watch.look();
  expect(state.degraded).toBeUndefined();
  expect(await metrics.metrics()).toContain(
    'tracing_collector_derived_repaired_total{table="span_metrics"} 610\n',
  );
});

test("leaves it to the collector with the lease, and goes on after a fault", async () => {
  const { state, watch } = watched();
  state.hasLease = false;
  await watch.look();
  expect(state.compared).toEqual([]);
  state.hasLease = true;
  state.fault = new Error("storage is away");
  await watch.look();
  state.fault = undefined;
  await watch.look();
  expect(state.compared).toEqual(["2026-11-24", "2026-11-25"]);
  await watch.close();
});
