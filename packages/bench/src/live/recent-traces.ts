/** A trace that the receiver has promised to keep. */
export interface AcknowledgedTrace {
  /** 32 hex digits. */
  readonly id: string;
  /** When its acknowledgement came, by `performance.now()`. */
  readonly acknowledgedAt: number;
}

/** More than an hour of notes at one a tenth of a second. */
const most = 50_000;

/** Some of the traces that were acknowledged lately, newest last. */
export class RecentTraces {
  readonly #pauseMs: number;
  readonly #traces: AcknowledgedTrace[] = [];

  /** @param pauseMs a trace is noted when the one before it is so old: notes cost the load generator time */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  /** @param readId called when the trace is noted */
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

  /** The newest; undefined as long as none was acknowledged. */
  newest(): AcknowledgedTrace | undefined {
    return this.#traces.at(-1);
  }

  /** The newest that was acknowledged at least so long ago; undefined when there is none. */
  newestOfAge(ageMs: number, now = performance.now()): AcknowledgedTrace | undefined {
    return this.#traces.findLast(({ acknowledgedAt }) => now - acknowledgedAt >= ageMs);
  }
}
