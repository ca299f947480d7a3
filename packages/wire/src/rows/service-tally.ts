/**
 * The spans of one service in a block: what the block's producer knows and a reader would have to walk every row for.
 * One for each resource of a message and each value of `debug`, so services may come more than once.
 */
export interface ServiceTally {
  /** As in the column `service_name`. */
  readonly service: string;
  /** Whether these spans carry Jaeger's debug flag, bit 1 of `flags`. */
  readonly debug: boolean;
  spans: number;
  /** Where the rows of root spans have their column `trace_id`. */
  readonly rootsAt: number[];
}
