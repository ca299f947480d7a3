import type { ServerResponse } from "node:http";

/** Milliseconds that an answer may wait for its client. */
export interface ClientTimes {
  /** Milliseconds in which the client reads no byte. Then its connection is cut. */
  readonly stalledMs: number;
  /** Milliseconds that a response may wait for its client in total. Then the connection is cut. */
  readonly maxWaitMs: number;
}

/**
 * Default limits: a minute without progress, or five minutes in total, because a stalled client holds its answer in
 * memory.
 */
export const defaultClientTimes: ClientTimes = { stalledMs: 60_000, maxWaitMs: 300_000 };

const lookEveryMs = 1_000;

/**
 * Disconnects a client that stops reading, or reads too slowly. Only time in which data waits for the client counts. A
 * busy machine or a slow store never leads to a disconnect.
 */
export function cutSlowClient(response: ServerResponse, { stalledMs, maxWaitMs }: ClientTimes): void {
  const isWaiting = () => response.writableLength > 0;
  response.setTimeout(stalledMs, () => {
    if (isWaiting()) {
      response.destroy();
    } else {
      response.setTimeout(stalledMs);
    }
  });
  let waitedMs = 0;
  const looking = setInterval(() => {
    if (!isWaiting()) {
      return;
    }
    waitedMs += lookEveryMs;
    if (waitedMs >= maxWaitMs) {
      response.destroy();
    }
  }, lookEveryMs);
  response.once("close", () => clearInterval(looking));
}
