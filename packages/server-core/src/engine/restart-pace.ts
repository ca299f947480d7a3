/** Pause before the start after a thread's second death; each further death doubles it, up to the limit. */
const firstPauseMs = 100;
const maxPauseMs = 5_000;
/** The limit while no thread serves: clients that are refused for longer give up. */
const maxPauseAloneMs = 250;
/** The earlier deaths of a thread that lived for this time no longer count. */
const soundAfterMs = 10_000;

/** Decides when the successor of a dead thread starts: at once after the first death, later after repeated ones. */
export class RestartPace {
  readonly #pauses = new Map<number, number>();

  /**
   * @param livedMs how long the thread that died had lived
   * @param othersServe whether connections have another thread to go to
   */
  pauseAfter(thread: number, livedMs: number, othersServe: boolean): number {
    if (livedMs > soundAfterMs) {
      this.#pauses.delete(thread);
    }
    const pauseMs = this.#pauses.get(thread) ?? 0;
    this.#pauses.set(thread, Math.min(maxPauseMs, Math.max(firstPauseMs, pauseMs * 2)));
    return othersServe ? pauseMs : Math.min(pauseMs, maxPauseAloneMs);
  }
}
