/** Maximum number of names offered below a field; nobody would read more. */
export const mostOffered = 50;

/**
 * Names that contain a text, ignoring case, for servers that return only whole lists. Order: the name itself, names
 * that begin with the text, other names. Example: `cart` in `[my-cart, cart-api, cart]` gives `cart, cart-api,
 * my-cart`.
 * @returns the number of matches, and the first `mostOffered` matches
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
