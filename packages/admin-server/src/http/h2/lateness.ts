import type { ConnectionLimits } from "../connection-limits.ts";

/** What of a stream is looked at. Times as of `Date.now()`. */
export interface TimedStream {
  readonly isTunnel: boolean;
  readonly openedAt: number;
  /** When bytes of the body came last. */
  readonly bodyAt: number;
  /** Whether somebody waits for a body that does not come. */
  readonly awaitsBody: boolean;
}

/** @returns what of a stream takes longer than it may: the client with its body, or the response; undefined for nothing */
export function latenessOf(
  stream: TimedStream,
  limits: ConnectionLimits,
  now: number,
): "body" | "response" | undefined {
  if (stream.isTunnel) {
    return undefined;
  }
  const { readIdleTimeoutMs, readTimeoutMs, writeTimeoutMs } = limits;
  const since = now - stream.openedAt;
  if (writeTimeoutMs > 0 && since >= writeTimeoutMs) {
    return "response";
  }
  if (!stream.awaitsBody) {
    return undefined;
  }
  const isSilent = readIdleTimeoutMs > 0 && now - stream.bodyAt >= readIdleTimeoutMs;
  return isSilent || (readTimeoutMs > 0 && since >= readTimeoutMs) ? "body" : undefined;
}
