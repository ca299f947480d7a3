import fc from "fast-check";
import { expect, test } from "vitest";
import { traceOf } from "../testing/trace-of.ts";
import { criticalPath } from "./critical-path.ts";

const pathOf = (trace: ReturnType<typeof traceOf>) =>
  criticalPath(trace).sections.map(({ span, fromUs, toUs }) => [trace.spans[span]?.spanID, fromUs, toUs]);

test("the child that ended last is waited for, its parent where none ran", () => {
  const trace = traceOf([
    ["root", undefined, 0, 100],
    ["a", "root", 10, 30],
    ["b", "root", 20, 40],
    ["c", "b", 30, 10],
  ]);
  expect(pathOf(trace)).toEqual([
    ["root", 0, 20],
    ["b", 20, 30],
    ["c", 30, 40],
    ["b", 40, 60],
    ["root", 60, 100],
  ]);
});

test("a child past its parent's end counts up to that end; one that begins later does not", () => {
  const trace = traceOf([
    ["root", undefined, 0, 50],
    ["late", "root", 40, 30],
    ["later", "root", 60, 30],
  ]);
  expect(pathOf(trace)).toEqual([
    ["root", 0, 40],
    ["late", 40, 50],
  ]);
});

test("shares are by operation, longest first", () => {
  const trace = traceOf([
    ["root", undefined, 0, 100, "GET /"],
    ["a", "root", 10, 20, "SELECT"],
    ["b", "root", 40, 50, "SELECT"],
  ]);
  const { shares, durationUs } = criticalPath(trace);
  expect(durationUs).toBe(100);
  expect(shares.map(({ operation, selfUs, share, spans }) => [operation, selfUs, share, spans])).toEqual([
    ["SELECT", 70, 0.7, 2],
    ["GET /", 30, 0.3, 1],
  ]);
  expect(trace.spans[shares[0]?.longest ?? -1]?.spanID).toBe("b");
});

test("an empty trace has no path", () => {
  expect(criticalPath(traceOf([])).sections).toEqual([]);
});

test("whatever the trace, the path covers its leading root without gap or overlap", () => {
  const spans = fc.array(fc.tuple(fc.nat(20), fc.nat(200), fc.nat(100)), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(spans, (drawn) => {
      const trace = traceOf(
        drawn.map(([parent, start, us], index) => [
          String(index),
          index === 0 ? undefined : String(parent % index),
          start,
          us,
        ]),
      );
      const { sections, durationUs } = criticalPath(trace);
      sections.slice(1).forEach((section, index) => {
        expect(section.fromUs).toBe(sections[index]?.toUs);
      });
      expect(durationUs).toBe(trace.spanUs[0]);
    }),
  );
});
