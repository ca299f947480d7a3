import { setTimeout as sleep } from "node:timers/promises";

const lookMs = 250;
/** This many checks without a running merge, because merges follow each other with short pauses. */
const calmLooks = 8;
const limitMs = 120_000;

/**
 * Waits until the store has not merged for two seconds; at most two minutes.
 * @param storeUrl ClickHouse's HTTP address
 * @throws Error when the store does not answer
 */
export async function waitUntilMerged(storeUrl: string, signal: AbortSignal): Promise<void> {
  const until = performance.now() + limitMs;
  for (let calm = 0; calm < calmLooks && performance.now() < until && !signal.aborted; ) {
    const answer = await fetch(storeUrl, {
      method: "POST",
      body: "SELECT count() FROM system.merges WHERE database = 'tracing'",
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(`the store answered ${answer.status}: ${text.slice(0, 200)}`);
    }
    calm = Number(text) === 0 ? calm + 1 : 0;
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
