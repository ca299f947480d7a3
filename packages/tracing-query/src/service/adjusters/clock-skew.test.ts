import { expect, test } from "vitest";
import type { ApiV2Span } from "wire/api-v2";
import { childOf, span, tag } from "../../testing/sample-span.ts";
import { nanosOf } from "../span-time.ts";
import { adjustClockSkew } from "./clock-skew.ts";

const on = (ip: string) => ({ process: { serviceName: "s", tags: [tag("ip", ip)] } });
const max = 1_000n;

interface Case {
  readonly name: string;
  readonly spans: readonly ApiV2Span[];
  readonly starts: readonly bigint[];
  readonly warnings?: readonly (readonly string[])[];
  readonly maxDelta?: bigint;
}

const cases: Case[] = [
  {
    name: "a child within its parent stays",
    spans: [
      span({ id: 1, length: 100n, ...on("a") }),
      span({ id: 2, start: 10n, length: 50n, references: [childOf(1)], ...on("b") }),
    ],
    starts: [0n, 10n],
  },
  {
    name: "a child before its parent moves to its middle",
    spans: [
      span({ id: 1, start: 100n, length: 100n, ...on("a") }),
      span({ id: 2, start: 50n, length: 50n, references: [childOf(1)], ...on("b") }),
    ],
    starts: [100n, 125n],
    warnings: [[], ["This span's timestamps were adjusted by 75ns"]],
  },
  {
    name: "a child on its parent's host is not judged",
    spans: [
      span({ id: 1, start: 100n, length: 100n, ...on("a") }),
      span({ id: 2, start: 50n, length: 50n, references: [childOf(1)], ...on("a") }),
    ],
    starts: [100n, 50n],
  },
  {
    name: "grandchildren on the child's host share its delta",
    spans: [
      span({ id: 1, start: 100n, length: 100n, ...on("a") }),
      span({ id: 2, start: 50n, length: 50n, references: [childOf(1)], ...on("b") }),
      span({ id: 3, start: 60n, length: 10n, references: [childOf(2)], ...on("b") }),
    ],
    starts: [100n, 125n, 135n],
    warnings: [
      [],
      ["This span's timestamps were adjusted by 75ns"],
      ["This span's timestamps were adjusted by 75ns"],
    ],
  },
  {
    name: "hosts without a name are judged one by one",
    spans: [
      span({ id: 1, start: 100n, length: 100n }),
      span({ id: 2, start: 50n, length: 50n, references: [childOf(1)] }),
      span({ id: 3, start: 130n, length: 10n, references: [childOf(2)] }),
    ],
    starts: [100n, 125n, 130n],
    warnings: [[], ["This span's timestamps were adjusted by 75ns"], []],
  },
  {
    name: "a child longer than its parent moves only to its start",
    spans: [
      span({ id: 1, start: 100n, length: 10n, ...on("a") }),
      span({ id: 2, start: 50n, length: 500n, references: [childOf(1)], ...on("b") }),
      span({ id: 3, start: 105n, length: 500n, references: [childOf(1)], ...on("c") }),
    ],
    starts: [100n, 100n, 105n],
    warnings: [[], ["This span's timestamps were adjusted by 50ns"], []],
  },
  {
    name: "nothing is applied by default",
    spans: [
      span({ id: 1, start: 100_000n, length: 100n, ...on("a") }),
      span({ id: 2, start: 199_550n, length: 0n, references: [childOf(1)], ...on("b") }),
    ],
    maxDelta: 0n,
    starts: [100_000n, 199_550n],
    warnings: [[], ["clock skew adjustment disabled; not applying calculated delta of -99.5µs"]],
  },
  {
    name: "a delta over the limit is not applied",
    spans: [
      span({ id: 1, start: 10_000n, length: 100n, ...on("a") }),
      span({ id: 2, start: 0n, length: 100n, references: [childOf(1)], ...on("b") }),
    ],
    starts: [10_000n, 0n],
    warnings: [
      [],
      ["max clock skew adjustment delta of 1µs exceeded; not applying calculated delta of 10µs"],
    ],
  },
  {
    name: "duplicate ids and missing parents are left alone",
    spans: [
      span({ id: 1, length: 100n, ...on("a") }),
      span({ id: 1, start: 7n, references: [childOf(9)], ...on("b") }),
      span({ id: 3, start: 500n, references: [childOf(0xbeef)], ...on("b") }),
    ],
    starts: [0n, 7n, 500n],
    warnings: [
      [],
      ["duplicate span IDs; skipping clock skew adjustment"],
      ["invalid parent span IDs=000000000000beef; skipping clock skew adjustment"],
    ],
  },
  {
    name: "a circle of parents ends",
    spans: [
      span({ id: 1, references: [childOf(2)] }),
      span({ id: 2, start: 900n, references: [childOf(1)] }),
    ],
    starts: [0n, 900n],
  },
];

test.each(cases)("$name", ({ spans, starts, warnings, maxDelta = max }) => {
  adjustClockSkew({ spans: [...spans], warnings: [] }, maxDelta);
  expect(spans.map((one) => nanosOf(one.startTime))).toEqual(starts);
  expect(spans.map((one) => one.warnings)).toEqual(warnings ?? spans.map(() => []));
});

test("log times move along, and an address may be a number or bytes", () => {
  const parent = span({
    start: 100n,
    length: 100n,
    process: { serviceName: "a", tags: [tag("ip", 0x7f000001n)] },
  });
  const child = span({
    id: 2,
    start: 50n,
    length: 50n,
    references: [childOf(1)],
    process: { serviceName: "b", tags: [tag("ip", Buffer.from([127, 0, 0, 2]))] },
    logs: [{ timestamp: { seconds: 0n, nanos: 60 }, fields: [] }],
  });
  adjustClockSkew({ spans: [parent, child], warnings: [] }, max);
  expect(child.logs[0]?.timestamp).toEqual({ seconds: 0n, nanos: 135 });
});

test("a chain of 50,000 spans does not exhaust the stack", () => {
  const spans = Array.from({ length: 50_000 }, (_, index) =>
    span({ id: index + 1, length: 10n, references: index === 0 ? [] : [childOf(index)] }),
  );
  adjustClockSkew({ spans, warnings: [] }, max);
  expect(spans.at(-1)?.warnings).toEqual([]);
});
