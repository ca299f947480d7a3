/** What a query may have at most. */
export const traceQlLimits = {
  /** UTF-16 units. */
  textLength: 65_536,
  /** Parentheses, braces and unary operators within one another. */
  depth: 64,
  /** Fields, values and operators together. */
  nodes: 1_024,
  /** Of a regular expression, in UTF-16 units. */
  regexLength: 4_096,
  /** Fields of `by()` after a metrics function, as in Tempo. */
  groupBys: 5,
} as const;
