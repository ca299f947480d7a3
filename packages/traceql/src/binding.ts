/**
 * Precedence of each binary operator; an operator with a larger number binds its operands first. As in Tempo, `&&` and
 * `||` have the same precedence. All of them except `^` are left-associative.
 *
 * | text | tree |
 * |---|---|
 * | `.a || .b && .c` | `(.a || .b) && .c` |
 * | `.a + 1 = 2 && .b` | `((.a + 1) = 2) && .b` |
 * | `8 - 4 - 2` | `(8 - 4) - 2` |
 * | `2 ^ 3 ^ 2` | `2 ^ (3 ^ 2)` |
 */
export const binding: Readonly<Record<string, number>> = {
  ...{ "&&": 1, "||": 1 },
  ...{ "=": 2, "!=": 2, "=~": 2, "!~": 2, "<": 2, "<=": 2, ">": 2, ">=": 2 },
  ...{ "+": 3, "-": 3 },
  ...{ "*": 5, "/": 5, "%": 5 },
  "^": 6,
};

/** Precedence of comparisons such as `=` and `<`, and of relations between spansets such as `>>`. */
export const comparisonBinding = 2;
/** Precedence of a unary minus: `-.a * 2` is `-(.a * 2)`, but `-.a + 2` is `(-.a) + 2`. */
export const minusBinding = 4;
/** Precedence of `!`: `!.a = .b` is `(!.a) = .b`. */
export const notBinding = 5;
/** Precedence of `^`, the only operator that is right-associative. */
export const powerBinding = 6;
