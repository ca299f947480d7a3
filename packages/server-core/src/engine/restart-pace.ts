/**
 * Pause in milliseconds before a thread is restarted after its second death; each further death doubles it, up to the
 * limit.
 */
const firstPauseMs = 100;
const maxPauseMs = 5_000;
/** Longest pause in milliseconds while no thread serves: clients that are refused for longer give up. */
const maxPauseAloneMs = 250;
/** Lifetime in milliseconds after which a thread's earlier deaths no longer count. */
const soundAfterMs = 10_000;

/**
 * Decides when a dead thread is restarted: immediately after the first death, with a growing pause after further
 * deaths.
 */
export class RestartPace {
  readonly #pauses = new Map<number, number>();

  /**
   * @param livedMs lifetime of the dead thread in milliseconds
   * @param othersServe true when another thread accepts connections
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
