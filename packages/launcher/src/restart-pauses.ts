/** Milliseconds before the first restart. */
const firstPauseMs = 500;
/** A port that another program gives back is taken again this soon: with more the front door stays away for long. */
const longestPauseMs = 10_000;
/** A process that lived this long had no reason to die that lies in how it starts. */
const steadyAfterMs = 30_000;

/**
 * How long to wait before a process is started again: twice as long after each quick death, at most ten
 * seconds.
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
