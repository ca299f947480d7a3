/**
 * The spans of one service in a block. The producer of the block knows them; a reader would have to walk every row.
 * There is one for each resource of a message and each value of `debug`, so a service may occur several times.
 */
export interface ServiceTally {
  /** The value of column `service_name`. */
  readonly service: string;
  /** Whether these spans carry Jaeger's debug flag, bit 1 of `flags`. */
  readonly debug: boolean;
  spans: number;
  /** Where the rows of root spans have their column `trace_id`. */
  readonly rootsAt: number[];
}
