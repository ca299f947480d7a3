/**
 * Precedence of each operator. As in Tempo, `&&` and `||` have the same. All but `^` are left-associative.
 */
export const binding: Readonly<Record<string, number>> = {
  ...{ "&&": 1, "||": 1 },
  ...{ "=": 2, "!=": 2, "=~": 2, "!~": 2, "<": 2, "<=": 2, ">": 2, ">=": 2 },
  ...{ "+": 3, "-": 3 },
  ...{ "*": 5, "/": 5, "%": 5 },
  "^": 6,
};

export const comparisonBinding = 2;
/** Precedence of a unary minus. */
export const minusBinding = 4;
export const notBinding = 5;
export const powerBinding = 6;
