/** Limits of a query. */
export const traceQlLimits = {
  /** UTF-16 units. */
  textLength: 65_536,
  /** Nested parentheses, braces and unary operators. */
  depth: 64,
  /** Fields, values and operators together. */
  nodes: 1_024,
  /** UTF-16 units of a regular expression. */
  regexLength: 4_096,
  /** Fields of `by()` after a metrics function, as in Tempo. */
  groupBys: 5,
} as const;
