/**
 * Limits of a query. They hold before anything is run, so a query of an untrusted user costs bounded time. A query
 * over a limit fails with a TraceQlError that names the limit.
 */
export const traceQlLimits = {
  /** UTF-16 units. */
  textLength: 65_536,
  /**
   * Nested parentheses, braces and unary operators. The parser recurses, so deeper queries could overflow the stack.
   */
  depth: 64,
  /** Fields, values and operators together. Each becomes a part of the SQL of an engine. */
  nodes: 1_024,
  /** UTF-16 units of a regular expression. */
  regexLength: 4_096,
  /** Fields of `by()` after a metrics function, as in Tempo. */
  groupBys: 5,
} as const;
