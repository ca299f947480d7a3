import type { ConnectionLimits } from "../connection-limits.ts";
import { RateWatch } from "../rate-watch.ts";

/** The times of a stream, as of `Date.now()`. */
export interface TimedStream {
  /** Whether the stream left HTTP; a tunnel may be silent, so no limit of requests applies. */
  readonly isTunnel: boolean;
  /** Milliseconds of `performance.now()` when the header block was complete. */
  readonly openedAt: number;
  /** When bytes of the body came last. */
  readonly bodyAt: number;
  /** True when a reader waits for a body that does not arrive. */
  readonly awaitsBody: boolean;
  /** Bytes of the body that came. */
  readonly bodyBytes: number;
  /** Made at the first check, when a minimum rate is configured. */
  bodyRate: RateWatch | undefined;
}

/** @returns which phase takes too long: the client's body, or the response; undefined: none */
export function latenessOf(
  stream: TimedStream,
  limits: ConnectionLimits,
  now: number,
): "body" | "response" | undefined {
  if (stream.isTunnel) {
    return undefined;
  }
  const { readIdleTimeoutMs, readMinRate, readTimeoutMs, writeTimeoutMs } = limits;
  const since = now - stream.openedAt;
  if (writeTimeoutMs > 0 && since >= writeTimeoutMs) {
    return "response";
  }
  const { awaitsBody, bodyBytes } = stream;
  if (readMinRate > 0) {
    stream.bodyRate ??= new RateWatch(now, bodyBytes);
    const rate = { minRate: readMinRate, idleTimeoutMs: readIdleTimeoutMs };
    if (stream.bodyRate.isTooSlow(now, bodyBytes, awaitsBody, rate)) {
      return "body";
    }
  }
  if (!awaitsBody) {
    return undefined;
  }
  const isSilent = readIdleTimeoutMs > 0 && now - stream.bodyAt >= readIdleTimeoutMs;
  return isSilent || (readTimeoutMs > 0 && since >= readTimeoutMs) ? "body" : undefined;
}
