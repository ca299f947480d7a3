import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "lifecycle";
import { afterAll, expect, test } from "vitest";
import { storageOptions } from "../storage-options.ts";
import type { PartQuarantine } from "./part-quarantine.ts";
import { Scrubber } from "./scrubber.ts";
import type { StoredPart } from "./set-aside-parts.ts";
import { ReadGivenUp } from "./stuck-reads.ts";

const folder = mkdtempSync(join(tmpdir(), "scrubber-"));
afterAll(() => rmSync(folder, { recursive: true }));

const week = 7 * 86_400_000;
const part = (name: string): StoredPart => ({
  ...{ database: "tracing", table: "spans", part: name, rows: 1, bytes: 1, writtenUnixMs: 1 },
  ...{ firstDay: "", lastDay: "" },
});

/** The clock stands still until the test advances it. */
function opened(file: string) {
  const state = {
    ...{ now: week, running: 0, onSleep: () => {} },
    ...{ faults: new Map<string, string>(), checked: [] as string[] },
  };
  const aside: string[] = [];
  const registry = createMetrics("test");
  let onCheck = () => {};
  const quarantine = {
    look: async () => {},
    storedParts: async () => ["a", "b", "c"].map(part),
    faultOf: async ({ part: name }: StoredPart) => {
      state.checked.push(name);
      onCheck();
      return state.faults.get(name);
    },
    setAside: async ({ part: name }: StoredPart) => aside.push(name) > 0,
  } as unknown as PartQuarantine;
  const scrubber = new Scrubber(
    {
      quarantine,
      stuckReads: { during: (_tag, work) => work(new AbortController().signal) },
      gate: {
        get running() {
          return state.running;
        },
        waiting: 0,
      },
      log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
      metrics: registry,
    },
    {
      ...{ intervalMs: week, databases: ["tracing"], stateFile: join(folder, file) },
      now: () => state.now,
      sleep: async (ms) => {
        state.now += ms;
        state.onSleep();
      },
    },
  );
  const look = async () => {
    state.checked = [];
    await scrubber.look();
    return state.checked;
  };
  return { scrubber, state, aside, registry, look, onCheck: (work: () => void) => (onCheck = work) };
}

test("the default is a week", () => {
  expect(storageOptions.shape["storage.check-interval"].parse(undefined)).toBe(week);
});

test("each part is checked once a week, over a restart too", async () => {
  const { state, look } = opened("week.json");
  expect(await look()).toEqual(["a", "b", "c"]);
  state.now += week - 1;
  expect(await look()).toEqual([]);
  const again = opened("week.json");
  again.state.now = state.now;
  expect(await again.look()).toEqual([]);
  again.state.now++;
  expect(await again.look()).toEqual(["a", "b", "c"]);
});

test("no part is begun while queries run; the parts that are left are said, and come first later", async () => {
  const { state, look, registry, onCheck } = opened("idle.json");
  state.running = 1;
  expect(await look()).toEqual([]);
  expect(await registry.metrics()).toMatch(/^tracing_storage_unchecked_parts 3$/m);
  state.running = 0;
  onCheck(() => (state.running = 1));
  expect(await look()).toEqual(["a"]);
  expect(await registry.metrics()).toMatch(/^tracing_storage_unchecked_parts 2$/m);
  state.running = 0;
  onCheck(() => {});
  expect(await look()).toEqual(["b", "c"]);
  expect(await registry.metrics()).toMatch(/^tracing_storage_unchecked_parts 0$/m);
  expect(await registry.metrics()).toMatch(/^tracing_storage_checked_parts_total 3$/m);
});

test("a store that is never idle has a part read after two intervals, in a tenth of the time", async () => {
  const { state, look, onCheck } = opened("busy.json");
  state.running = 1;
  const begins: number[] = [];
  onCheck(() => {
    begins.push(state.now);
    state.now += 1_000;
  });
  state.now = 2 * week - 6_000;
  expect(await look()).toEqual([]);
  state.now = 2 * week + 1;
  expect(await look()).toEqual(["a"]);
  expect(await look()).toEqual(["b"]);
  expect((begins[1] ?? 0) - (begins[0] ?? 0)).toBeGreaterThan(10_000);
  state.running = 0;
  expect(await look()).toEqual(["c"]);
});

test("a look waits for a gap between queries", async () => {
  const { state, look } = opened("gap.json");
  state.running = 1;
  state.onSleep = () => (state.running = 0);
  expect(await look()).toEqual(["a", "b", "c"]);
});

test("a look ends after some seconds, so that the load is seen again", async () => {
  const { state, look, onCheck } = opened("long.json");
  onCheck(() => (state.now += 6_000));
  expect(await look()).toEqual(["a"]);
  expect(await look()).toEqual(["b"]);
});

test("a damaged part is set aside; one whose check is given up is aside already", async () => {
  const { state, aside, look, onCheck } = opened("damage.json");
  state.faults.set("b", "wrong");
  onCheck(() => {
    if (state.checked.at(-1) === "a") {
      throw new ReadGivenUp();
    }
  });
  expect(await look()).toEqual(["a", "b", "c"]);
  expect(aside).toEqual(["b"]);
});
