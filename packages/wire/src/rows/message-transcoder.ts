import type { SpanRows } from "./span-rows.ts";

/**
 * Converts messages of one format to rows; every receiver has one. A transcoder handles one message at a time and
 * reuses its buffers.
 */
export interface MessageTranscoder {
  /**
   * @param message decompressed message; the caller limits its size
   * @param tenant owner of the spans; "", the default, when tenancy is off
   * @throws WireError; then nothing of the message is kept
   */
  transcode(message: Uint8Array, tenant?: string): TranscodeResult;
}

/** The result of converting one message. */
export interface TranscodeResult {
  /** The valid spans. `bytes` is overwritten by the next message that the same transcoder converts. */
  readonly rows: SpanRows;
  /** Number of spans that were left out because an id is empty or all zeros, or because the span is unreadable. */
  readonly rejectedSpans: number;
  /** The reasons why spans were rejected, for the developer of the sender; "" without rejected spans. */
  readonly errorMessage: string;
}

export interface TranscoderOptions {
  /**
   * Size limit for the rows of one message in bytes. Default: 256 MiB. The limit is needed because each span repeats
   * its resource.
   */
  readonly maxRowsBytes?: number;
}
