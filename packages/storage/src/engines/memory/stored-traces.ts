import type { Span } from "wire/model";
import { dropOldest } from "./drop-oldest.ts";

interface StoredTrace {
  readonly all: Span[];
  /**
   * Spans without copies. When a sender gets no answer, it sends the batch again; counts must include each span only
   * once.
   */
  readonly distinct: Span[];
  readonly identities: Set<string>;
}

/** The newest traces with their spans; a trace is as new as the arrival of its first span. */
export class StoredTraces {
  readonly #maxTraces: number;
  readonly #traces = new Map<string, StoredTrace>();
  /** For each span, its number in the order of arrival. */
  readonly #arrivalOf = new WeakMap<Span, number>();
  #arrivals = 0;

  constructor(maxTraces: number) {
    this.#maxTraces = maxTraces;
  }

  add(span: Span): void {
    this.#arrivalOf.set(span, ++this.#arrivals);
    let trace = this.#traces.get(span.traceId);
    if (trace === undefined) {
      trace = { all: [], distinct: [], identities: new Set() };
      this.#traces.set(span.traceId, trace);
      dropOldest(this.#traces, this.#maxTraces);
    }
    trace.all.push(span);
    const identity = identityOf(span);
    if (trace.identities.has(identity)) {
      return;
    }
    trace.identities.add(identity);
    trace.distinct.push(span);
  }

  /** Number of spans that have ever arrived. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Stored spans whose arrival number is above `after` and at most `upTo`, in order of arrival. */
  arrivedWithin(after: number, upTo: number): Span[] {
    const arrival = (span: Span) => this.#arrivalOf.get(span) ?? 0;
    return [...this.spans()]
      .filter((span) => arrival(span) > after && arrival(span) <= upTo)
      .sort((one, other) => arrival(one) - arrival(other));
  }

  /** Spans of a trace. Copies of a span are included, as in other stores. */
  trace(traceId: string): readonly Span[] {
    return this.#traces.get(traceId)?.all ?? [];
  }

  /** Spans of each trace, without copies. */
  traces(): Iterable<readonly Span[]> {
    return this.#traces.values().map(({ distinct }) => distinct);
  }

  /** All stored spans, without copies. */
  *spans(): Generator<Span> {
    for (const { distinct } of this.#traces.values()) {
      yield* distinct;
    }
  }
}

/** Text that is equal for copies. The store on ClickHouse uses the same rule. */
function identityOf({ spanId, kind, status, startTimeUnixNano, durationNano, resource, name }: Span): string {
  return `${spanId} ${kind} ${status.code} ${startTimeUnixNano} ${durationNano} ${resource.serviceName}\n${name}`;
}
