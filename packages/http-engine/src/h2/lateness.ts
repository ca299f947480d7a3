import type { ConnectionLimits } from "../connection-limits.ts";
import { RateWatch } from "../rate-watch.ts";

/** Times and byte counts of a stream. All times are in milliseconds since 1970. */
export interface TimedStream {
  /** True when the stream left HTTP. A tunnel may be silent, so the time limits of requests do not apply. */
  readonly isTunnel: boolean;
  /** Time when the stream was opened: its header block was complete. */
  readonly openedAt: number;
  /** Time when bytes of the body last arrived. */
  readonly bodyAt: number;
  /** True when more of the body is awaited: by a reader, or to be dropped. */
  readonly awaitsBody: boolean;
  /** Number of bytes of the body that arrived. */
  readonly bodyBytes: number;
  /** Watches the rate of the body; made at the first check, when a minimum rate is configured. */
  bodyRate: RateWatch | undefined;
}

/** @returns the phase that takes too long: the client's body, or the response; undefined: none */
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
