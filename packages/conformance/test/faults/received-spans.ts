import type { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";

export interface ExpectedSpans {
  /** A part of the metric's labels, such as `svc="shop"`; all spans when absent. */
  readonly labels?: string;
  /** 0 by default. */
  readonly moreThan?: number;
  /** Called before each check, for example to send a span. */
  readonly first?: () => Promise<unknown>;
}

/** Number of spans that a collector has received since it started. @param labels a part of the metric's labels */
export async function receivedSpans(collector: TestedProcess, labels = ""): Promise<number> {
  const { text } = await ask(collector.metricsUrl);
  return [...text.matchAll(/^tracing_collector_spans_received_total\{(.*)\} (\S+)$/gm)]
    .filter(([, all]) => all?.includes(labels))
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}

/** Resolves when a collector has received more spans. @throws Error after `withinMs` */
export async function receives(
  collector: TestedProcess,
  { labels = "", moreThan = 0, first = async () => {} }: ExpectedSpans,
  withinMs: number,
): Promise<void> {
  await eventually(async () => {
    await first();
    const spans = await receivedSpans(collector, labels);
    if (spans <= moreThan) {
      throw new Error(`${collector.name} got ${spans} spans of {${labels}}, no more than ${moreThan}`);
    }
  }, withinMs);
}
