/** Names offered below a field; more would not be read. */
export const mostOffered = 50;

/**
 * Names that have a part, of a server that gives only whole lists: those that begin with it first, then those that
 * hold it, in any case.
 */
export function matchingNames(
  names: readonly string[],
  contains: string,
): { total: number; names: string[] } {
  const part = contains.toLowerCase();
  const [whole, beginning, within]: string[][] = [[], [], []];
  for (const name of names) {
    const at = name.toLowerCase().indexOf(part);
    if (at !== -1) {
      (name === contains ? whole : at === 0 ? beginning : within)?.push(name);
    }
  }
  const found = [whole, beginning, within].flatMap((list) => list ?? []);
  return { total: found.length, names: found.slice(0, mostOffered) };
}
