/**
 * Limits of a query. They are checked before the query runs, so a query of an untrusted user costs bounded time. A
 * query over a limit fails with a TraceQlError that names the limit.
 */
export const traceQlLimits = {
  /** Limit of the query's length in UTF-16 units. */
  textLength: 65_536,
  /**
   * Limit of nested parentheses, braces and unary operators. The parser recurses, so deeper queries could overflow
   * the stack.
   */
  depth: 64,
  /** Limit of fields, values and operators together. Each becomes a part of an engine's SQL. */
  nodes: 1_024,
  /** Limit of a regular expression's length in UTF-16 units. */
  regexLength: 4_096,
  /** Limit of fields in `by()` after a metrics function, the same as in Tempo. */
  groupBys: 5,
} as const;
