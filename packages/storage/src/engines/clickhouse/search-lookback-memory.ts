import type { TraceQuery } from "../../api/span-reader.ts";
import { firstSliceNano } from "./time-slices.ts";

/** Maximum number of kinds of searches that are remembered. Beyond it, the oldest is forgotten. */
const maxKinds = 1_024;

/** After a refused statement, time in milliseconds for which this kind of search starts with the newest minute. */
const refusedMs = 10_000;

/** Longest first slice: three days. Longer searches continue after this slice. */
const maxReachNano = 3n * 86_400_000_000_000n;

interface Known {
  readonly reachNano: bigint;
  /** Time of the monotonic clock in milliseconds, from which the remembered reach may be used again. */
  readonly againMs: number;
}

/**
 * Remembers how far back in time searches for rare spans had to go. Users often repeat a search for a request id, for
 * slow spans, or for a service with few spans. The repeated search can then skip the start with the newest minute.
 * Values of tags and time ranges are not remembered.
 */
export class SearchLookbackMemory {
  readonly #known = new Map<string, Known>();

  /** @returns length of the first slice in nanoseconds; undefined when no such search is remembered */
  of(query: TraceQuery, tenant: string, nowMs: number): bigint | undefined {
    const known = this.#known.get(kindOf(query, tenant));
    return known === undefined || known.againMs > nowMs ? undefined : known.reachNano;
  }

  /**
   * @param reachNano length of the searched time in nanoseconds; undefined when the newest minute had enough traces, or
   * nearly enough. Less than a minute is ignored.
   */
  note(query: TraceQuery, tenant: string, reachNano: bigint | undefined): void {
    const kind = kindOf(query, tenant);
    const againMs = this.#known.get(kind)?.againMs ?? 0;
    this.#known.delete(kind);
    if (reachNano === undefined || reachNano < firstSliceNano) {
      return;
    }
    this.#known.set(kind, { reachNano: reachNano < maxReachNano ? reachNano : maxReachNano, againMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKinds && oldest !== undefined) {
      this.#known.delete(oldest);
    }
  }

  /** Called when a statement was refused because it would read too many rows. */
  refused(query: TraceQuery, tenant: string, nowMs: number): void {
    const kind = kindOf(query, tenant);
    const known = this.#known.get(kind);
    if (known !== undefined) {
      this.#known.set(kind, { ...known, againMs: nowMs + refusedMs });
    }
  }
}

function kindOf(query: TraceQuery, tenant: string): string {
  const { service, operation, spanKind, hasError, durationMinNano, durationMaxNano, tags } = query;
  // Durations are grouped by powers of two, because spans with twice the duration are much rarer.
  const duration = [durationMinNano, durationMaxNano].map((bound) => bound?.toString(2).length);
  return JSON.stringify([
    tenant,
    service,
    operation,
    spanKind,
    hasError,
    duration,
    [...(tags?.keys() ?? [])],
  ]);
}

/** Maximum number of pairs of tenant and service that are remembered. Beyond it, the oldest is forgotten. */
const maxDenseKinds = 1_024;

/** Time for which the present minute is assumed to be dense after a refused statement, in milliseconds. */
const denseMs = 10_000;

/**
 * Remembers the services for which the present minute has too many spans to read all of them. A search then begins with
 * the newest seconds. This saves a statement that would be refused; planning that statement costs as much as reading a
 * few seconds.
 */
export class DensePresent {
  readonly #untilMs = new Map<string, number>();

  /** @param nowMs time of the monotonic clock in milliseconds */
  knows(query: TraceQuery, tenant: string, nowMs: number): boolean {
    return (this.#untilMs.get(denseKindOf(query, tenant)) ?? 0) > nowMs;
  }

  /** Called when ClickHouse refused a statement for the whole minute. */
  note(query: TraceQuery, tenant: string, nowMs: number): void {
    const kind = denseKindOf(query, tenant);
    this.#untilMs.delete(kind);
    this.#untilMs.set(kind, nowMs + denseMs);
    const [oldest] = this.#untilMs.keys();
    if (this.#untilMs.size > maxDenseKinds && oldest !== undefined) {
      this.#untilMs.delete(oldest);
    }
  }
}

/**
 * The table is ordered by service. Other conditions hardly change the number of rows that are read, so they are
 * ignored.
 */
function denseKindOf({ service }: TraceQuery, tenant: string): string {
  return JSON.stringify([tenant, service]);
}
