/** Milliseconds before the first restart. */
const firstPauseMs = 500;
/**
 * Longest pause before a restart, in milliseconds. After another program frees a port, our process is started again
 * within this time.
 */
const longestPauseMs = 10_000;
/** A process that ran for at least this many milliseconds before it ended does not count as a failed start. */
const steadyAfterMs = 30_000;

/**
 * The pause before a process is restarted: it doubles after each process that ended quickly, up to ten seconds.
 *
 * ```
 * quick deaths   1      2    3    4    5    6
 * pause          0.5 s  1 s  2 s  4 s  8 s  10 s
 * ```
 */
export class RestartPauses {
  #quickDeaths = 0;

  /** @param livedMs from the start of the process to its end */
  next(livedMs: number): number {
    if (livedMs >= steadyAfterMs) {
      this.#quickDeaths = 0;
    }
    const pause = Math.min(firstPauseMs * 2 ** this.#quickDeaths, longestPauseMs);
    this.#quickDeaths += 1;
    return pause;
  }
}
