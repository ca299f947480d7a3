import type { Span } from "wire/model";

/** As many blocks as `WriteOptions.deduplicationToken` promises. */
const tokenWindow = 10_000;

/** The spans of the newest traces by first arrival, and the tokens of the newest blocks. */
export class StoredTraces {
  readonly #maxTraces: number;
  readonly #traces = new Map<string, Span[]>();
  readonly #tokens = new Set<string>();

  constructor(maxTraces: number) {
    this.#maxTraces = maxTraces;
  }

  /** Adds a block, unless one with this token was added before. */
  add(spans: readonly Span[], token: string): void {
    if (this.#tokens.has(token)) return;
    this.#tokens.add(token);
    dropOldest(this.#tokens, tokenWindow);
    for (const span of spans) {
      const trace = this.#traces.get(span.traceId);
      if (trace === undefined) this.#traces.set(span.traceId, [span]);
      else trace.push(span);
    }
    dropOldest(this.#traces, this.#maxTraces);
  }

  trace(traceId: string): readonly Span[] {
    return this.#traces.get(traceId) ?? [];
  }

  *spans(): Generator<Span> {
    for (const trace of this.#traces.values()) yield* trace;
  }
}

/** Sets and maps keep the order of insertion. */
function dropOldest<Key>(kept: Set<Key> | Map<Key, unknown>, most: number): void {
  for (const oldest of kept.keys()) {
    if (kept.size <= most) return;
    kept.delete(oldest);
  }
}
