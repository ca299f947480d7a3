function longest(name: string, namespaces: readonly string[]): number {
  return Math.max(
    0,
    ...namespaces.filter((each) => `${name}.`.startsWith(`${each}.`)).map((each) => each.length),
  );
}

/**
 * True when a log accepts entries of a logger: `http.log` includes all loggers below it. If both lists contain a prefix
 * of the name, the longer prefix decides. `*` excludes all. Source: Caddy 2.11
 */
export function takesLogger(name: string, include: readonly string[], exclude: readonly string[]): boolean {
  const accepted = longest(name, include);
  if ((include.length > 0 && accepted === 0) || exclude.includes("*")) {
    return false;
  }
  const rejected = longest(name, exclude);
  return rejected === 0 || accepted > rejected;
}
