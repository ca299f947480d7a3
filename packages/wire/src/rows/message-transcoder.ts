import type { SpanRows } from "./span-rows.ts";

/**
 * Converts a message of a format to rows; every receiver uses one. A transcoder handles one message at a time
 * and reuses its buffers.
 */
export interface MessageTranscoder {
  /**
   * @param message decompressed; the caller limits its size
   * @param tenant owner of the spans; "", the default, when tenancy is off
   * @throws WireError; then nothing of the message is kept
   */
  transcode(message: Uint8Array, tenant?: string): TranscodeResult;
}

/** The result of a message with spans. */
export interface TranscodeResult {
  /** The good spans. `bytes` is a view that the next message through the same transcoder overwrites. */
  readonly rows: SpanRows;
  /** Spans left out because their trace id or span id is empty or all zeros. */
  readonly rejectedSpans: number;
  /** Why spans were rejected, for the sender's developer; "" when none was. */
  readonly errorMessage: string;
}

export interface TranscoderOptions {
  /**
   * Most bytes of the rows of one message, 256 MiB by default. The limit is needed because each span repeats
   * its resource.
   */
  readonly maxRowsBytes?: number;
}
