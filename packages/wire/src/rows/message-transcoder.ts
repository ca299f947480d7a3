import type { SpanRows } from "./span-rows.ts";

/**
 * Turns one message of a format into rows: what every receiver works with. One transcoder handles one message at a time
 * and keeps its buffers for the next.
 */
export interface MessageTranscoder {
  /**
   * @param message as it came, decompressed; the caller limits its size
   * @param tenant whose spans they are; "" by default, where tenancy is off
   * @throws WireError nothing of the message is kept
   */
  transcode(message: Uint8Array, tenant?: string): TranscodeResult;
}

/** What became of a message with spans. */
export interface TranscodeResult {
  /** The good spans. `bytes` is a view that the next message through the same transcoder overwrites. */
  readonly rows: SpanRows;
  /** Spans left out because their trace id or span id is empty or all zeros. */
  readonly rejectedSpans: number;
  /** Why spans were rejected, for the sender's developer; "" when none was. */
  readonly errorMessage: string;
}

export interface TranscoderOptions {
  /** Most bytes that the rows of one message may take: resources are written again for every span. 256 MiB. */
  readonly maxRowsBytes?: number;
}
