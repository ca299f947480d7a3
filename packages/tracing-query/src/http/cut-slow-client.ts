import type { ServerResponse } from "node:http";

/** How long an answer may wait for its client, in milliseconds. */
export interface ClientTimes {
  /** Without a byte taken. */
  readonly stalledMs: number;
  /** In all. */
  readonly maxWaitMs: number;
}

/** A client that takes nothing for a minute, or is waited for five, keeps others waiting. */
export const defaultClientTimes: ClientTimes = { stalledMs: 60_000, maxWaitMs: 300_000 };

const lookEveryMs = 1_000;

/**
 * Cuts a client off that does not take its answer, or takes it a little at a time. Only time in which something waits for the
 * client counts: an answer that is long in the making, on a busy machine or behind a slow store, is never cut.
 */
export function cutSlowClient(response: ServerResponse, { stalledMs, maxWaitMs }: ClientTimes): void {
  const isWaiting = () => response.writableLength > 0;
  response.setTimeout(stalledMs, () => {
    if (isWaiting()) response.destroy();
    else response.setTimeout(stalledMs);
  });
  let waitedMs = 0;
  const looking = setInterval(() => {
    if (!isWaiting()) return;
    waitedMs += lookEveryMs;
    if (waitedMs >= maxWaitMs) response.destroy();
  }, lookEveryMs);
  response.once("close", () => clearInterval(looking));
}
