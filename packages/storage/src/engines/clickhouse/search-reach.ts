import type { TraceQuery } from "../../api/span-reader.ts";
import { firstSliceNano } from "./time-slices.ts";

/** Kinds of searches that are remembered. */
const maxKinds = 1_024;

/** Milliseconds for which a kind of search begins as any other, once it had too much to read. */
const refusedMs = 10_000;

/** About three days; longer searches continue from there. */
const maxReachNano = 3n * 86_400_000_000_000n;

interface Known {
  readonly reachNano: bigint;
  /** By the monotonic clock. */
  readonly againMs: number;
}

/**
 * Remembers how far back searches for something rare had to go. Users who look for a request id, for slow spans, or
 * for a service with few spans search again. That search need not begin with the newest minute. Values of tags and
 * time ranges are not remembered.
 */
export class SearchReach {
  readonly #known = new Map<string, Known>();

  /** @returns nanoseconds to search first; undefined when such a search is not known */
  of(query: TraceQuery, tenant: string, nowMs: number): bigint | undefined {
    const known = this.#known.get(kindOf(query, tenant));
    return known === undefined || known.againMs > nowMs ? undefined : known.reachNano;
  }

  /**
   * @param reachNano the time that was searched; undefined when the newest minute had enough, or most of it.
   *   Less than a minute teaches nothing.
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

  /** There was too much to read at once. */
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
  // Longer durations are rarer than durations half as long.
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
