import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "lifecycle";
import { afterEach, beforeEach, expect, test } from "vitest";
import { quietLog } from "../../test/receiver-fixture.ts";
import { rowsOf, spanOf } from "../../test/span-rows-fixture.ts";
import { CollectorMetrics } from "../counts/metrics.ts";
import { collectorOptions } from "../options/collector-options.ts";
import type { SpanJournal } from "./journal/span-journal.ts";
import { openJournal } from "./open-journal.ts";

let folder: string;
let journal: SpanJournal | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "open-journal-"));
});

afterEach(async () => {
  await journal?.finish();
  await journal?.close();
  await rm(folder, { recursive: true });
});

/** Opens the journal for these options. @returns value of a metric */
async function open(options: Readonly<Record<string, unknown>>) {
  const registry = createMetrics("test");
  ({ journal } = await openJournal(
    collectorOptions.parse({ "collector.journal.dir": folder, ...options }),
    new CollectorMetrics(registry),
    registry,
    quietLog,
  ));
  return async (name: string) =>
    (await registry.getSingleMetric(`tracing_collector_${name}`)?.get())?.values[0]?.value;
}

const modes = ["disk", "memory"];

test.each(modes)("--collector.queue-size bounds the spans that wait in a journal in %s", async (mode) => {
  const metric = await open({ "collector.journal.mode": mode, "collector.queue-size": 2 });
  const rows = (count: number) => ({ bytes: Buffer.alloc(10), count });
  await journal?.append(rows(2));
  await expect(journal?.append(rows(1))).rejects.toMatchObject({ code: "COLLECTOR_JOURNAL_FULL" });
  expect(await metric("queue_capacity")).toBe(2);
});

test.each(modes)(
  "--collector.queue-size-memory bounds the bytes in a journal in %s, in MiB",
  async (mode) => {
    const metric = await open({
      "collector.journal.mode": mode,
      "collector.queue-size-memory": 2,
      "collector.journal.max-bytes": "1KiB",
    });
    expect(await metric("journal_max_bytes")).toBe(2 * 1024 * 1024);
  },
);

test.each(modes)("--collector.journal.max-bytes does, without it, in %s", async (mode) => {
  const metric = await open({ "collector.journal.mode": mode, "collector.journal.max-bytes": "1KiB" });
  expect(await metric("journal_max_bytes")).toBe(1024);
});

test("--sampling.tail.max-traces bounds the traces that wait for a decision", async () => {
  const policies = join(folder, "policies.yaml");
  await writeFile(policies, "policies:\n  - type: error\n");
  const metric = await open({
    "sampling.tail.policies-file": policies,
    "sampling.tail.max-traces": 100,
    "collector.journal.mode": "memory",
  });
  const traces = Array.from({ length: 101 }, (_, index) => spanOf({ traceId: `${index}`.padStart(32, "a") }));
  await journal?.append(rowsOf(traces.slice(0, 100)));
  expect(await metric("tail_sampling_early_decisions_total")).toBe(0);
  await journal?.append(rowsOf(traces.slice(100)));
  expect(await metric("tail_sampling_early_decisions_total")).toBe(1);
});
