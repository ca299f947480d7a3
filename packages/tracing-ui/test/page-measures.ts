import type { BrowserContext, Page } from "playwright-core";
import { SeededRandom } from "./fixtures/seeded-random.ts";
import { fixtureNowUs } from "./fixtures/shop-store.ts";
import { importTrace } from "./fixtures/shop-traces.ts";

/** The results of a round, by the name of the figure; times in milliseconds. */
export type Found = Map<string, number>;

/** A figure, its unit, and the most that the project allows; undefined: told, not held to. */
export interface Figure {
  name: string;
  unit: "ms" | "kB" | "MB";
  most?: number;
}

export type MeasuredTrace = ReturnType<typeof importTrace>;

/** Frames of a measured movement. */
export const frameCount = 120;

/** The traces that pages are measured with: 10,000 and 100,000 spans, the same in each run. */
export function measuredTraces(): readonly MeasuredTrace[] {
  return [10_000, 100_000].map((spans) => importTrace(new SeededRandom(1), fixtureNowUs - 60_000_000, spans));
}

/** The answer that has the trace, by its path, as text: making it is not to count. */
export function bodiesOf(trace: MeasuredTrace): ReadonlyMap<string, string> {
  const body = JSON.stringify({ data: [trace], total: 0, limit: 0, offset: 0, errors: null });
  return new Map([[`/api/traces/${trace.traceID}`, body]]);
}

/** The heap of the page's scripts after a collection of garbage, in megabytes. */
export async function heapMegabytes(context: BrowserContext, page: Page): Promise<number> {
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize / 1e6;
}

/** Prints the median of each figure as one line of JSON. */
export function printMedians(figures: readonly Figure[], measured: readonly Found[]): void {
  for (const { name, unit, most } of figures) {
    const values = measured.map((found) => found.get(name) ?? Number.NaN).sort((a, b) => a - b);
    console.log(JSON.stringify({ name, unit, most, value: values[Math.floor(values.length / 2)] }));
  }
}

/** The page's own work so far in CPU time of its main thread, milliseconds: other programs do not count in it. */
export async function cpuClock(context: BrowserContext, page: Page): Promise<() => Promise<number>> {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0);
  };
}

/** Runs a step on each of many frames. @returns the 95th percentile of the times between frames */
export function frames(page: Page, step: string): Promise<number> {
  return page.evaluate(
    async ([code, total]) => {
      const act = new Function("frame", code) as (frame: number) => void;
      const times: number[] = [];
      let before = await new Promise<number>(requestAnimationFrame);
      for (let frame = 0; frame < total; frame += 1) {
        act(frame);
        const now = await new Promise<number>(requestAnimationFrame);
        times.push(now - before);
        before = now;
      }
      return times.sort((a, b) => a - b)[Math.floor(total * 0.95)] ?? 0;
    },
    [step, frameCount] as const,
  );
}
