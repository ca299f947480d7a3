/** A trace that the receiver has acknowledged. */
export interface AcknowledgedTrace {
  /** 32 hex digits. */
  readonly id: string;
  /** Time of the acknowledgement, from `performance.now()`. */
  readonly acknowledgedAt: number;
}

/** Maximum number of traces: more than an hour at one trace per tenth of a second. */
const most = 50_000;

/** Some of the recently acknowledged traces, in order of time. */
export class RecentTraces {
  readonly #pauseMs: number;
  readonly #traces: AcknowledgedTrace[] = [];

  /** @param pauseMs pause between two traces that are recorded, because recording costs the load generator time */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** @param readId called only when the trace is recorded */
  note(readId: () => string, now = performance.now()): void {
    const last = this.#traces.at(-1);
    if (last !== undefined && now - last.acknowledgedAt < this.#pauseMs) {
      return;
    }
    this.#traces.push({ id: readId(), acknowledgedAt: now });
    if (this.#traces.length > most) {
      this.#traces.splice(0, most / 2);
    }
  }

  /** The newest recorded trace; undefined before the first acknowledgement. */
  newest(): AcknowledgedTrace | undefined {
    return this.#traces.at(-1);
  }

  /** The newest trace that was acknowledged at least this many milliseconds ago; undefined when there is none. */
  newestOfAge(ageMs: number, now = performance.now()): AcknowledgedTrace | undefined {
    return this.#traces.findLast(({ acknowledgedAt }) => now - acknowledgedAt >= ageMs);
  }
}
