import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainBytesOf, type SpanRows } from "wire/rows";
import { plainRowsOf, rowsOf, sharingSpans, spansOf } from "../../test/span-rows-fixture.ts";
import { RootSpanStep } from "../sampling/adaptive/root-span-step.ts";
import { CollectorTags } from "./collector-tags.ts";
import type { RowStep } from "./row-step.ts";
import { SpanCounts } from "./span-counts.ts";
import { parseTailPolicies } from "./tail/tail-policies.ts";
import { TailSampler } from "./tail/tail-sampler.ts";
import { TraceDownsampling } from "./trace-downsampling.ts";

const source = { transport: "grpc", format: "otlp" } as const;

function tailSampler(): TailSampler {
  const policies = parseTailPolicies(
    {
      policies: [
        { type: "error", services: ["shop"] },
        { type: "attribute", key: "zone", values: ["1"] },
      ],
    },
    "test",
  );
  const observer = { traceDecided() {}, spansDecided() {}, lateSpans() {}, forgottenSpans() {} };
  return new TailSampler({ policies, decisionWaitMs: 1, maxTraces: 1_000, now: () => 0 }, observer);
}

/** Chains of steps that record their calls. */
const chains: readonly [name: string, (told: unknown[]) => RowStep[]][] = [
  [
    "counts of services",
    (told) => [
      new SpanCounts({
        servicesReceived: (_, { spans, traces }) => void told.push([...spans], [...traces]),
      }),
    ],
  ],
  [
    "tags",
    () => [
      new CollectorTags([
        ["zone", "2"],
        ["b", "c"],
      ]),
    ],
  ],
  ["downsampling", () => [new TraceDownsampling({ ratio: 0.5, salt: "" }, { downsampled() {} })]],
  ["root spans", (told) => [new RootSpanStep({ record: (...what) => void told.push(what) })]],
  [
    "tail sampling",
    (told) => [
      {
        apply(rows) {
          const sampler = tailSampler();
          sampler.observe(rows);
          sampler.decideAll();
          const verdicts = sampler.judge(rows);
          for (let row = 0; row < rows.count; row++) {
            told.push(verdicts.isKept(row));
          }
          return rows;
        },
      },
    ],
  ],
];

function resultOf(open: (told: unknown[]) => RowStep[], rows: SpanRows) {
  const told: unknown[] = [];
  let stepped = rows;
  for (const step of open(told)) {
    stepped = step.apply(stepped, source);
  }
  return { told, spans: spansOf(stepped), plainBytes: plainBytesOf(stepped) };
}

describe("rows that share prefixes are to every step what rows with their own are", () => {
  test.each([
    ...chains,
    ["all, one after the other", (told: unknown[]) => chains.flatMap(([, open]) => open(told))] as const,
  ])("%s", (_, open) => {
    fc.assert(
      fc.property(sharingSpans, (spans) => {
        expect(resultOf(open, rowsOf(spans))).toEqual(resultOf(open, plainRowsOf(spans)));
      }),
    );
  });
});
