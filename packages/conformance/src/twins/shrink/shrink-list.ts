/**
 * Removes parts from a list as long as `holds` is true for the rest: first halves, then quarters, down to single parts.
 * The number of tries is about twice the number of parts.
 */
export async function shrinkList<Part>(
  parts: readonly Part[],
  holds: (rest: readonly Part[]) => Promise<boolean>,
): Promise<readonly Part[]> {
  let rest = parts;
  for (let size = Math.ceil(parts.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < rest.length; ) {
      const candidate = [...rest.slice(0, at), ...rest.slice(at + size)];
      if (await holds(candidate)) {
        rest = candidate;
      } else {
        at += size;
      }
    }
  }
  return rest;
}
