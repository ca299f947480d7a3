import type { Span } from "wire/model";
import { dropOldest } from "./drop-oldest.ts";

/** The spans of the newest traces by first arrival. */
export class StoredTraces {
  readonly #maxTraces: number;
  readonly #traces = new Map<string, Span[]>();

  constructor(maxTraces: number) {
    this.#maxTraces = maxTraces;
  }

  add(span: Span): void {
    const trace = this.#traces.get(span.traceId);
    if (trace !== undefined) {
      trace.push(span);
      return;
    }
    this.#traces.set(span.traceId, [span]);
    dropOldest(this.#traces, this.#maxTraces);
  }

  trace(traceId: string): readonly Span[] {
    return this.#traces.get(traceId) ?? [];
  }

  *spans(): Generator<Span> {
    for (const trace of this.#traces.values()) yield* trace;
  }
}
