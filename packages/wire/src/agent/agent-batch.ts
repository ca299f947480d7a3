/** Numbers of batches and spans that a client lost before sending, since its start; part of its batches. */
export interface AgentClientStats {
  /** Text of the process tag `client-uuid`. */
  readonly clientUuid: string;
  /** Number of the batch: a batch that is sent twice has it twice. Undefined when the client sent none. */
  readonly seqNo: bigint | undefined;
  readonly fullQueueDroppedSpans: bigint;
  readonly tooLargeDroppedSpans: bigint;
  readonly failedToEmitSpans: bigint;
}

/** The spans of one process out of a packet, as parts of a `PostSpansRequest`. */
export interface AgentBatch {
  /**
   * An `api_v2` `Process` message. Equal processes give equal bytes, mostly the same object. It must not be
   * changed; further tags are appended as field 2.
   */
  readonly process: Buffer;
  /**
   * Field 1 of an `api_v2` `Batch` (tag, length, message) for each span, in order. Valid until the reader's
   * next packet. A copy for each packet would outlive V8's young generation when many packets go into one
   * request.
   */
  readonly spans: Buffer;
  readonly spanCount: number;
  /** Only from clients that send both losses and a tag `client-uuid`. */
  readonly clientStats?: AgentClientStats | undefined;
}
