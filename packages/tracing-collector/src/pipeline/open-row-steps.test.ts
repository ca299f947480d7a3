import { createMetrics, parseOptions } from "lifecycle";
import { expect, test } from "vitest";
import { rowsOf, spanOf, spansOf } from "../../test/span-rows-fixture.ts";
import { collectorOptions } from "../options/collector-options.ts";
import { openRowSteps } from "./open-row-steps.ts";
import type { RowStep } from "./row-step.ts";

const source = { transport: "http", format: "otlp" } as const;

function stepsOf(flags: string[], observers: RowStep[] = [], registry = createMetrics("test")): RowStep[] {
  const { options } = parseOptions(collectorOptions, { arguments: flags, environment: {} });
  return openRowSteps(options, observers, registry, { ZONE: "z1" });
}

test("without options there is no step but the observers", () => {
  const observer: RowStep = { apply: (rows) => rows };
  expect(stepsOf([], [observer])).toEqual([observer]);
});

test("tags come first and downsampling last: observers see tags, and spans that are dropped", async () => {
  const seen: unknown[] = [];
  const observer: RowStep = {
    apply(rows) {
      seen.push(...spansOf(rows).map(({ resource }) => resource.attributes));
      return rows;
    },
  };
  const registry = createMetrics("test");
  const flags = ["--collector.tags", `zone=$${"{ZONE}"},a=$${"{NONE:x}"}`, "--downsampling.ratio=0"];
  let rows = rowsOf([spanOf({}), spanOf({})]);
  for (const step of stepsOf(flags, [observer], registry)) {
    rows = step.apply(rows, source);
  }
  const tags = [
    { key: "a", value: { type: "string", value: "x" } },
    { key: "zone", value: { type: "string", value: "z1" } },
  ];
  expect(seen).toEqual([tags, tags]);
  expect(rows.count).toBe(0);
  expect(await registry.metrics()).toContain("tracing_downsampling_writer_spans_dropped_total 2\n");
});

test.each([
  [["--collector.tags", "zone"], 'option --collector.tags: "zone" is not key=value'],
  [["--downsampling.ratio", "1.5"], "downsampling.ratio"],
])("refuses %j", (flags, message) => {
  expect(() => stepsOf(flags)).toThrow(message);
});
