import type { TraceQuery } from "../../api/span-reader.ts";
import { firstSliceNano } from "./time-slices.ts";

/** Kinds of searches that are remembered. */
const maxKinds = 1_024;

/** How long a kind of search is done as any other once it had too much to read. */
const refusedMs = 10_000;

/** Three days, about; who asks for longer goes on from there. */
const maxReachNano = 3n * 86_400_000_000_000n;

interface Known {
  readonly reachNano: bigint;
  /** By the clock that only goes forward. */
  readonly againMs: number;
}

/**
 * How far back searches for something rare had to go. Who looks for a request by its id, for what took long, or for a service with few
 * spans, looks again: that search need not begin with the newest minute. Values of tags are left out, and bounds of time.
 */
export class SearchReach {
  readonly #known = new Map<string, Known>();

  /** @returns what to search first, in nanoseconds; undefined where nothing is known of such searches */
  of(query: TraceQuery, tenant: string, nowMs: number): bigint | undefined {
    const known = this.#known.get(kindOf(query, tenant));
    return known === undefined || known.againMs > nowMs ? undefined : known.reachNano;
  }

  /** @param reachNano what was searched; undefined: the newest minute had enough, or much of it. Of less than a minute nothing is to be learned */
  note(query: TraceQuery, tenant: string, reachNano: bigint | undefined): void {
    const kind = kindOf(query, tenant);
    const againMs = this.#known.get(kind)?.againMs ?? 0;
    this.#known.delete(kind);
    if (reachNano === undefined || reachNano < firstSliceNano) return;
    this.#known.set(kind, { reachNano: reachNano < maxReachNano ? reachNano : maxReachNano, againMs });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxKinds && oldest !== undefined) this.#known.delete(oldest);
  }

  /** There was too much to read at once. */
  refused(query: TraceQuery, tenant: string, nowMs: number): void {
    const kind = kindOf(query, tenant);
    const known = this.#known.get(kind);
    if (known !== undefined) this.#known.set(kind, { ...known, againMs: nowMs + refusedMs });
  }
}

function kindOf(query: TraceQuery, tenant: string): string {
  const { service, operation, spanKind, hasError, durationMinNano, durationMaxNano, tags } = query;
  // There are more of a duration than of twice as long a one.
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
