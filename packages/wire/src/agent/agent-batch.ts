/**
 * Numbers of batches and spans that a client lost before sending, counted from its start. Clients send them in their
 * batches.
 */
export interface AgentClientStats {
  /** Text of the process tag `client-uuid`. */
  readonly clientUuid: string;
  /** Number of the batch; a repeated batch has the same number. Undefined when the client sent none. */
  readonly seqNo: bigint | undefined;
  readonly fullQueueDroppedSpans: bigint;
  readonly tooLargeDroppedSpans: bigint;
  readonly failedToEmitSpans: bigint;
}

/** The spans of one process in a packet, as parts of a `PostSpansRequest`. */
export interface AgentBatch {
  /**
   * An `api_v2` `Process` message. Equal processes give equal bytes, mostly the same object. The caller must not change
   * it, but may append tags as field 2.
   */
  readonly process: Buffer;
  /**
   * Field 1 of an `api_v2` `Batch` (tag, length, message) for each span, in order. Valid until the reader's
   * next packet. A copy for each packet would outlive V8's young generation when many packets go into one
   * request.
   */
  readonly spans: Buffer;
  readonly spanCount: number;
  /** Statistics of the client. Only present when the client sends both losses and a tag `client-uuid`. */
  readonly clientStats?: AgentClientStats | undefined;
}
