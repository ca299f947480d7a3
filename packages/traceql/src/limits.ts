/**
 * Sizes that a query may have. They are checked before the query runs, so that a query of an untrusted user has a
 * limited cost. A query over a limit fails with a TraceQlError that names the limit.
 */
export const traceQlLimits = {
  /** UTF-16 units of the query. */
  textLength: 65_536,
  /**
   * Depth of nested parentheses, braces and unary operators. The parser is recursive, so deeper queries could overflow
   * the stack.
   */
  depth: 64,
  /** Number of fields, values and operators together. Each of them becomes a part of the SQL. */
  nodes: 1_024,
  /** UTF-16 units of a regular expression. */
  regexLength: 4_096,
  /** Maximum number of fields in `by()` after a metrics function, the same as in Tempo. */
  groupBys: 5,
} as const;
