/** How tightly each operator binds, as in Tempo, where `&&` and `||` bind alike. All but `^` go from left to right. */
export const binding: Readonly<Record<string, number>> = {
  ...{ "&&": 1, "||": 1 },
  ...{ "=": 2, "!=": 2, "=~": 2, "!~": 2, "<": 2, "<=": 2, ">": 2, ">=": 2 },
  ...{ "+": 3, "-": 3 },
  ...{ "*": 5, "/": 5, "%": 5 },
  "^": 6,
};

export const comparisonBinding = 2;
/** Of what a minus in front takes. */
export const minusBinding = 4;
export const notBinding = 5;
export const powerBinding = 6;
