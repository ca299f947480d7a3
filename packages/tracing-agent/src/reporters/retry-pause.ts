const firstPauseMs = 500;
const maxPauseMs = 2_000;

/**
 * The pause before a retry: 0.5 s, 1 s, then always 2 s, so that three bridge the restart of a collector. Each pause
 * is extended by up to a half, so that agents do not return all at once.
 * @param retries how many there were before
 * @param random from 0 to 1
 */
export function retryPauseMs(retries: number, random: number): number {
  return Math.min(firstPauseMs * 2 ** retries, maxPauseMs) * (1 + random / 2);
}
