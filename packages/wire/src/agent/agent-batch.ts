/**
 * Numbers of batches and spans that a client lost before sending, counted from its start. Clients send these numbers in
 * their batches.
 */
export interface AgentClientStats {
  /** Text of the process tag `client-uuid`. */
  readonly clientUuid: string;
  /** Number of the batch; a repeated batch has the same number. Undefined for a client that sends no number. */
  readonly seqNo: bigint | undefined;
  readonly fullQueueDroppedSpans: bigint;
  readonly tooLargeDroppedSpans: bigint;
  readonly failedToEmitSpans: bigint;
}

/** The spans of one process in a packet, as parts of a `PostSpansRequest`. */
export interface AgentBatch {
  /**
   * An `api_v2` `Process` message. Equal processes result in equal bytes, usually even in the same object. The caller
   * must not change these bytes, but may append tags to a copy as field 2.
   */
  readonly process: Buffer;
  /**
   * Field 1 of an `api_v2` `Batch` (tag, length, message) for each span, in the order of the packet. Valid until the
   * reader's next packet. The bytes are not copied, because copies would outlive V8's young generation when many
   * packets go into one request.
   */
  readonly spans: Buffer;
  readonly spanCount: number;
  /** Statistics of the client. Only present when the client sends both losses and a tag `client-uuid`. */
  readonly clientStats?: AgentClientStats | undefined;
}
