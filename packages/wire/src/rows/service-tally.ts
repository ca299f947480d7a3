/**
 * The spans of one service in a block. The producer of the block counts them, because a reader would have to visit
 * every row. Each resource of a message, and each value of `debug`, has its own tally, so a service may have several.
 */
export interface ServiceTally {
  /** The value of the column `service`. */
  readonly service: string;
  /** True when these spans have Jaeger's debug flag, bit 1 of `flags`. */
  readonly debug: boolean;
  spans: number;
  /** Positions of the column `trace_id` in the rows of root spans. */
  readonly rootsAt: number[];
}
