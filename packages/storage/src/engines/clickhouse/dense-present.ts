import type { TraceQuery } from "../../api/span-reader.ts";

/** Tenants and services that are remembered. */
const maxKinds = 1_024;

/** How long the present minute is assumed dense, in milliseconds, once it was found so. */
const denseMs = 10_000;

/**
 * Remembers where the present minute has too many spans to read all of them. A search there begins with the newest
 * seconds, without a statement that is refused first: planning it costs as much as reading a few seconds.
 */
export class DensePresent {
  readonly #untilMs = new Map<string, number>();

  /** @param nowMs by the monotonic clock */
  knows(query: TraceQuery, tenant: string, nowMs: number): boolean {
    return (this.#untilMs.get(kindOf(query, tenant)) ?? 0) > nowMs;
  }

  /** A statement for the whole minute was refused. */
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

/** The order of the table has the service; other conditions change what is read little. */
function kindOf({ service }: TraceQuery, tenant: string): string {
  return JSON.stringify([tenant, service]);
}
