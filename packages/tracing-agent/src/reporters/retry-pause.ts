const firstPauseMs = 500;
const maxPauseMs = 2_000;

/**
 * The pause before a retry: 0.5 s, then 1 s, then always 2 s, so that three retries last as long as the restart of a
 * collector. Each pause is extended by up to a half, so that agents do not all retry at the same time.
 * @param retries number of earlier retries
 * @param random random number from 0 to 1
 */
export function retryPauseMs(retries: number, random: number): number {
  return Math.min(firstPauseMs * 2 ** retries, maxPauseMs) * (1 + random / 2);
}
