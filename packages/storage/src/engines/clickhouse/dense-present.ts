import type { TraceQuery } from "../../api/span-reader.ts";

/** Limit of remembered pairs of tenant and service. */
const maxKinds = 1_024;

/** Time for which the present minute is assumed to be dense after a refused statement, in milliseconds. */
const denseMs = 10_000;

/**
 * Remembers for which services the present minute has too many spans to read all of them. A search then begins with the
 * newest seconds. That saves a statement that would be refused: planning it costs as much as reading a few seconds.
 */
export class DensePresent {
  readonly #untilMs = new Map<string, number>();

  /** @param nowMs time of the monotonic clock in milliseconds */
  knows(query: TraceQuery, tenant: string, nowMs: number): boolean {
    return (this.#untilMs.get(kindOf(query, tenant)) ?? 0) > nowMs;
  }

  /** Called when ClickHouse refused a statement for the whole minute. */
  note(query: TraceQuery, tenant: string, nowMs: number): void {
    const kind = kindOf(query, tenant);
    this.#untilMs.delete(kind);
    this.#untilMs.set(kind, nowMs + denseMs);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size > maxKinds && oldest !== undefined) {
      this.#untilMs.delete(oldest);
    }
  }
}

/** The table is ordered by service. Other conditions hardly change the number of rows to read, so they are ignored. */
function kindOf({ service }: TraceQuery, tenant: string): string {
  return JSON.stringify([tenant, service]);
}
