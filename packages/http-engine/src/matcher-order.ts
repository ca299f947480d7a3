/** Matchers that store captures, sorted so that a later matcher may use captures of an earlier matcher. */
const capturing = ["path_regexp", "header_regexp", "vars_regexp"];

/**
 * Names of a set's matchers in the order in which they are tried. Matchers that store captures precede matchers that
 * use captures. In Caddy, the order changes with each load of the config, so such a set matches after some loads
 * and fails after others.
 */
export function matchersInOrder(set: Readonly<Record<string, unknown>>): string[] {
  const names = Object.keys(set);
  const first = capturing.filter((name) => name in set);
  const others = names.filter((name) => !first.includes(name));
  const isNamed =
    first.length > 0 &&
    [...others, ...first.slice(1)].some((name) => JSON.stringify(set[name])?.includes("http.regexp."));
  return isNamed ? [...first, ...others] : names;
}
