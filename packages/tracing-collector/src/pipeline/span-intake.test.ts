import { createMetrics, type Logger } from "lifecycle";
import { describe, expect, test } from "vitest";
import type { SpanRows } from "wire/rows";
import { rowsOf, spanOf } from "../../test/span-rows-fixture.ts";
import { CollectorMetrics, type SpanSource } from "../counts/metrics.ts";
import { RecentBatches } from "./recent-batches.ts";
import type { RowStep } from "./row-step.ts";
import { SpanIntake } from "./span-intake.ts";

const source: SpanSource = { transport: "http", format: "otlp" };
const rows: SpanRows = { bytes: Uint8Array.of(1, 2, 3), count: 2 };

const outcomeOf = (some: SpanRows, rejectedSpans = 0) => ({ rows: some, rejectedSpans, errorMessage: "why" });

function intakeOf(steps?: readonly RowStep[]) {
  const kept: SpanRows[] = [];
  const journal = { append: async (some: SpanRows) => void kept.push(some) };
  const registry = createMetrics("test");
  const metrics = new CollectorMetrics(registry);
  return { intake: new SpanIntake({ journal, metrics, steps }, source), kept, metrics, registry };
}

describe("SpanIntake", () => {
  test("hands the very rows to the journal where no step is configured", async () => {
    const { intake, kept } = intakeOf();
    await intake.keep(outcomeOf(rows), 10);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBe(rows);
  });

  test("runs the steps in order, each on what the one before made", async () => {
    const appendByte = (byte: number): RowStep => ({
      apply: ({ bytes, count }, by) => {
        expect(by).toBe(source);
        return { bytes: Uint8Array.of(...bytes, byte), count };
      },
    });
    const { intake, kept } = intakeOf([appendByte(7), appendByte(8)]);
    await intake.keep(outcomeOf(rows), 10);
    expect(kept[0]?.bytes).toEqual(Uint8Array.of(1, 2, 3, 7, 8));
  });

  test("keeps nothing of a request that a step cannot read, and counts it", async () => {
    const failing: RowStep = {
      apply: () => {
        throw new Error("bad rows");
      },
    };
    const { intake, kept, metrics } = intakeOf([failing]);
    await expect(intake.keep(outcomeOf(rows), 10)).rejects.toThrow("bad rows");
    expect(kept).toEqual([]);
    const { values } = await metrics.spansRefused.get();
    expect(values).toEqual([{ labels: { ...source, reason: "unexpected" }, value: 2 }]);
  });

  test("counts the bytes that it has kept, those of refused requests not among them", async () => {
    const isFull: RowStep = {
      apply: (some) => {
        if (some.count === 1) {
          throw new Error("full");
        }
        return { ...some, bytes: Uint8Array.of(...some.bytes, 4) };
      },
    };
    const { intake, metrics, registry } = intakeOf([isFull]);
    expect(await registry.metrics()).not.toContain("spans_bytes");
    metrics.showSpanSizes();
    await intake.keep(outcomeOf(rows), 10);
    await intake.keep(outcomeOf(rows), 10);
    await expect(intake.keep(outcomeOf({ ...rows, count: 1 }), 10)).rejects.toThrow("full");
    expect(await registry.metrics()).toMatch(/^tracing_collector_spans_bytes 8$/m);
  });

  test("acknowledges a copy of a batch, and keeps and counts it once", async () => {
    const kept: SpanRows[] = [];
    const metrics = new CollectorMetrics(createMetrics("test"));
    const journal = { append: async (some: SpanRows) => void kept.push(some) };
    const recent = new RecentBatches({ maxBatches: 10, maxAgeMs: 1_000 });
    const intake = new SpanIntake({ journal, metrics, recent }, source);
    const batch = rowsOf([spanOf({})]);
    await intake.keep(outcomeOf(batch), 10);
    await intake.keep(outcomeOf(batch), 10);
    expect(kept).toHaveLength(1);
    expect((await metrics.spansRepeated.get()).values).toEqual([{ labels: source, value: 1 }]);
  });

  test("counts and logs what was rejected of a message", async () => {
    const { registry, metrics } = intakeOf();
    const lines: unknown[] = [];
    const log = { warn: (...line: unknown[]) => lines.push(line) } as unknown as Pick<Logger, "warn">;
    const journal = { append: async () => {} };
    await new SpanIntake({ journal, metrics, log }, source).keep(outcomeOf(rows, 2), 10);
    expect(await registry.metrics()).toMatch(/spans_rejected_total\{[^}]*format="otlp"[^}]*\} 2/);
    expect(lines).toEqual([
      [{ transport: "http", format: "otlp", reason: "why" }, "spans of a message were rejected"],
    ]);
  });

  test("asks no step about a request without spans", async () => {
    const never: RowStep = {
      apply: () => {
        throw new Error("asked");
      },
    };
    const { intake, kept } = intakeOf([never]);
    await intake.keep(outcomeOf({ bytes: new Uint8Array(0), count: 0 }, 3), 10);
    expect(kept).toHaveLength(1);
  });
});
