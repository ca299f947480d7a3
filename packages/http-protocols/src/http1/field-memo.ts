/**
 * Room for what one handler makes of the fields of a request, such as their form for an upstream. Requests of a connection
 * that send the very same fields share it, so it is made once for all of them.
 */
export interface FieldMemo {
  /** The handler that stored `value`; other handlers ignore it. */
  owner: object | undefined;
  /** Result of the computation for the fields that were seen last. */
  value: unknown;
}
