import type { SpanKind } from "wire/model";
import type { ShownSpan } from "./shown-spans.ts";

/** Calls of one operation, summed over traces. Times are in nanoseconds. */
export interface CallSums {
  /** Service of the span that represents the call: the called service, or the caller's if the callee sends no spans. */
  readonly service: string;
  /** Operation of the span that represents the call. */
  readonly operation: string;
  /** Kind of the span that represents the call. */
  readonly spanKind: SpanKind;
  /** Number of calls, failed ones included. */
  calls: number;
  /** Number of calls whose span failed. */
  errors: number;
  /** Sum of the calls' durations. */
  durationNano: number;
}

/** Selects the calling spans, by service and operation. An absent field selects all. */
export interface Callers {
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
}

/**
 * Calls that spans make to other services, and to systems that send no spans, such as databases.
 *
 * ```
 * shop GET /            the caller
 *   shop render           another operation of the same service: not a call, its children are checked
 *     shop SELECT client  a call: no span of another service is below it
 *   cart GET /cart        a call: a span of another service
 * ```
 */
export class DownstreamCalls {
  readonly #callers: Callers;
  /** Sums by service, operation and kind of the called span. */
  readonly #sums = new Map<string, CallSums>();
  /** Traces that were added; averages divide by this number. */
  traces = 0;

  constructor(callers: Callers) {
    this.#callers = callers;
  }

  get sums(): ReadonlyMap<string, CallSums> {
    return this.#sums;
  }

  /** Adds the spans of one trace, in linear time. The spans are not kept. */
  add(spans: readonly ShownSpan[]): void {
    this.traces += 1;
    const below = Map.groupBy(spans, ({ parentSpanId }) => parentSpanId);
    const seen = new Set<ShownSpan>();
    for (const caller of spans) {
      if (!this.#isCaller(caller)) {
        continue;
      }
      const open = [...this.#childrenOf(caller, below)];
      for (let span = open.pop(); span !== undefined; span = open.pop()) {
        // A span below two callers counts as one call.
        if (seen.has(span)) {
          continue;
        }
        const isOther = span.service !== caller.service;
        const own = this.#childrenOf(span, below);
        const isLeaf =
          /^(client|producer)$/.test(span.spanKind) && !own.some(({ service }) => service !== span.service);
        if (isOther || isLeaf) {
          seen.add(span);
          this.#count(span);
        } else if (!this.#isCaller(span)) {
          seen.add(span);
          // Not as arguments of one call: 200,000 children would overflow the stack.
          for (const child of own) {
            open.push(child);
          }
        }
      }
    }
  }

  #isCaller({ service, operation }: ShownSpan): boolean {
    const { service: wanted = service, operation: name = operation } = this.#callers;
    return service === wanted && operation === name;
  }

  /** Children of a span. A span without an id has none, because all roots would match. */
  #childrenOf(span: ShownSpan, below: ReadonlyMap<string, readonly ShownSpan[]>): readonly ShownSpan[] {
    return span.spanId === "" ? [] : (below.get(span.spanId) ?? []);
  }

  #count({ service, operation, spanKind, hasError, durationNano }: ShownSpan): void {
    const key = JSON.stringify([service, operation, spanKind]);
    const sums = this.#sums.get(key) ?? {
      service,
      operation,
      spanKind,
      calls: 0,
      errors: 0,
      durationNano: 0,
    };
    sums.calls += 1;
    sums.errors += hasError ? 1 : 0;
    sums.durationNano += Math.max(0, Number(durationNano));
    this.#sums.set(key, sums);
  }
}
