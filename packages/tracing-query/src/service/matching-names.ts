/** A page of names. */
export interface MatchingNames {
  /** Number of matching names on all pages. */
  readonly total: number;
  readonly names: readonly string[];
}

/**
 * Names that contain a text, in any case. An equal name comes first, then names that begin with the text, then names
 * with a word that begins with the text, then all others. Each group is sorted from a to z.
 * @param names from a to z, each once
 */
export function matchingNames(
  names: readonly string[],
  contains: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): MatchingNames {
  const part = contains.toLowerCase();
  if (part === "") {
    return { total: names.length, names: names.slice(offset, offset + limit) };
  }
  const ranks: string[][] = [[], [], [], []];
  for (const name of names) {
    const text = name.toLowerCase();
    const at = text.indexOf(part);
    if (at !== -1) {
      ranks[name === contains ? 0 : rankOf(text, at, part)]?.push(name);
    }
  }
  const found = ranks.flat();
  return { total: found.length, names: found.slice(offset, offset + limit) };
}

function rankOf(text: string, first: number, part: string): number {
  if (first === 0) {
    return 1;
  }
  for (let at = first; at !== -1; at = text.indexOf(part, at + 1)) {
    if (/[^\p{L}\d]/u.test(text[at - 1] ?? "")) {
      return 2;
    }
  }
  return 3;
}
