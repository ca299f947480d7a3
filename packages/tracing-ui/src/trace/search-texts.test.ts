import { expect, test, vi } from "vitest";
import { type ShortSpan, traceOf } from "../testing/trace-of.ts";
import { filterSpans } from "./filter-spans.ts";
import { makeSearchTexts } from "./search-texts.ts";
import type { Trace } from "./trace.ts";

/** A trace that counts how often attributes of its spans are read. */
function countingTrace(spans: number): { trace: Trace; reads: () => number } {
  let reads = 0;
  const trace = traceOf(Array.from({ length: spans }, (_, at): ShortSpan => [String(at), undefined, at, 1]));
  for (const span of trace.spans) {
    Object.defineProperty(span, "tags", {
      get: () => {
        reads += 1;
        return [{ key: "db", type: "string", value: "Redis" }];
      },
    });
  }
  return { trace, reads: () => reads };
}

test("texts are made once, while nothing else is to be done, and the first filter reads no span again", () => {
  vi.useFakeTimers();
  try {
    const { trace, reads } = countingTrace(1_000);
    makeSearchTexts(trace);
    expect(reads()).toBe(0);
    vi.runAllTimers();
    expect(reads()).toBe(1_000);
    expect(filterSpans(trace, "db=redis")?.matchCount).toBe(1_000);
    // Folding idle time creates another trace with the same spans.
    expect(filterSpans({ ...trace, durationUs: 1 }, "redis")?.matchCount).toBe(1_000);
    expect(reads()).toBe(1_000);
  } finally {
    vi.useRealTimers();
  }
});

test("making them ends with the page", () => {
  vi.useFakeTimers();
  try {
    const { trace, reads } = countingTrace(10);
    makeSearchTexts(trace)();
    vi.runAllTimers();
    expect(reads()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
