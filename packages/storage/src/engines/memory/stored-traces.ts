import type { Span } from "wire/model";
import { dropOldest } from "./drop-oldest.ts";

/** The spans of the newest traces by first arrival. */
export class StoredTraces {
  readonly #maxTraces: number;
  readonly #traces = new Map<string, Span[]>();
  /** For each span: the number of arrivals up to and including it. */
  readonly #arrivalOf = new WeakMap<Span, number>();
  #arrivals = 0;

  constructor(maxTraces: number) {
    this.#maxTraces = maxTraces;
  }

  add(span: Span): void {
    this.#arrivalOf.set(span, ++this.#arrivals);
    const trace = this.#traces.get(span.traceId);
    if (trace !== undefined) {
      trace.push(span);
      return;
    }
    this.#traces.set(span.traceId, [span]);
    dropOldest(this.#traces, this.#maxTraces);
  }

  /** Number of spans that ever arrived. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Kept spans whose arrival number is above `after` and at most `upTo`, in order of arrival. */
  arrivedWithin(after: number, upTo: number): Span[] {
    const arrival = (span: Span) => this.#arrivalOf.get(span) ?? 0;
    return [...this.spans()]
      .filter((span) => arrival(span) > after && arrival(span) <= upTo)
      .sort((one, other) => arrival(one) - arrival(other));
  }

  trace(traceId: string): readonly Span[] {
    return this.#traces.get(traceId) ?? [];
  }

  /** The spans of one trace after the other. */
  traces(): Iterable<readonly Span[]> {
    return this.#traces.values();
  }

  *spans(): Generator<Span> {
    for (const trace of this.#traces.values()) yield* trace;
  }
}
