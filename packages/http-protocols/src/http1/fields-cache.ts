/**
 * Cache for a handler's result from the fields of a request, such as their form for an upstream. Requests of a
 * connection with exactly the same fields share the entry, so the result is computed only once.
 */
export interface FieldsCache {
  /** The handler that stored `value`; other handlers ignore the value. */
  owner: object | undefined;
  /** Result of the computation for the fields that were seen last. */
  value: unknown;
}
