import type { GoodCount, ReadOptions, TraceQlReader } from "storage/api";
import { parseTraceQl } from "traceql";
import type { Objective } from "./objective.ts";

/** A query of all spans that meet a condition. */
export function conditionText(condition: string): string {
  return `{ (${condition}) }`;
}

function selection({ service, operations, kinds, condition }: Objective): string {
  const quoted = (text: string) => JSON.stringify(text);
  const anyOf = (terms: readonly string[]) => `(${terms.join(" || ")})`;
  return [
    `resource.service.name = ${quoted(service)}`,
    anyOf(kinds.map((kind) => `kind = ${kind}`)),
    ...(operations.length === 0 ? [] : [anyOf(operations.map((name) => `name = ${quoted(name)}`))]),
    `(${condition})`,
  ].join(" && ");
}

/** Time range of a count, divided into steps. */
export interface CountedTime {
  /** Begin of the first step, milliseconds since the Unix epoch. */
  readonly startUnixMs: number;
  /** End of the last step, milliseconds since the Unix epoch. */
  readonly endUnixMs: number;
  /** Milliseconds of one step; each step gets its own counts. */
  readonly stepMs: number;
}

/**
 * Counts spans that meet a condition. Reads spans, because the sums by minute have no attributes.
 * @throws StorageError
 */
export async function traceqlCounts(
  reader: TraceQlReader,
  objective: Objective,
  { startUnixMs, endUnixMs, stepMs }: CountedTime,
  options: ReadOptions,
): Promise<GoodCount[]> {
  const nano = (ms: number) => BigInt(ms) * 1_000_000n;
  const range = { startUnixNano: nano(startUnixMs), endUnixNano: nano(endUnixMs) - 1n };
  const ask = async (more: string) => {
    const query = parseTraceQl(`{ ${selection(objective)}${more} } | count_over_time() with(adjusted=true)`);
    const { series } = await reader.metrics({ query, range, stepNano: nano(stepMs), maxSeries: 1 }, options);
    const counts = new Map<number, number>();
    for (const { unixNano, value } of series[0]?.samples ?? []) {
      // A sample covers the step that ends at its time.
      const step = Math.max(0, Math.ceil((Number(unixNano / 1_000_000n) - startUnixMs) / stepMs) - 1);
      counts.set(step, (counts.get(step) ?? 0) + value);
    }
    return counts;
  };
  const fast =
    objective.latencyMs === undefined ? "" : ` && duration < ${Math.round(objective.latencyMs * 1e6)}ns`;
  const [all, good] = [await ask(""), await ask(` && status != error${fast}`)];
  return [...all]
    .filter(([, total]) => total > 0)
    .map(([step, total]) => ({ step, total, good: good.get(step) ?? 0 }))
    .sort((one, other) => one.step - other.step);
}
