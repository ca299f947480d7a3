import { leftOut as leftOutMember } from "./hidden-values.ts";

/** A shortened part of a config. */
export interface Outline {
  readonly value: unknown;
  /** Paths and sizes of omitted parts. */
  readonly leftOut: readonly { readonly path: string; readonly bytes: number }[];
}

/** Number of characters of a value as JSON; 0 for undefined. */
function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** Replaces an omitted part by a description that never looks like a config value. */
function placeholderOf(value: unknown): unknown {
  return Array.isArray(value)
    ? { [leftOutMember]: `${value.length} elements` }
    : {
        [leftOutMember]: `members ${Object.keys(value as object)
          .slice(0, 20)
          .join(", ")}`,
      };
}

/** Minimum number of characters for a member or element; a shorter text would be useless. */
const leastCharacters = 100;

/** Distributes the characters over entries. Small entries leave their unused characters to larger entries. */
function sharesOf(lengths: readonly number[], characters: number): number[] {
  const shares = new Array<number>(lengths.length).fill(0);
  let left = characters;
  const bySize = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  for (const [rank, index] of bySize.entries()) {
    const share = Math.max(0, Math.min(lengths[index] ?? 0, Math.floor(left / (bySize.length - rank))));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

/**
 * Shortens a part of a config: long lists lose their last elements, and large inner parts are omitted, so that the
 * structure stays visible. A list of 1,000 routes, cut to 500 characters, has the first few routes and `{ "(left out)":
 * "995 more" }`.
 * @param path path of the part, starting with a slash
 * @param characters approximate limit of the JSON, in characters
 */
export function outlineConfig(value: unknown, path: string, characters: number): Outline {
  if (lengthOf(value) <= characters || typeof value !== "object" || value === null) {
    return { value, leftOut: [] };
  }
  const below = path === "/" ? "" : path;
  const all = Object.entries(value);
  const entries = all.slice(0, Math.max(1, Math.floor(characters / leastCharacters)));
  const leftOut: { path: string; bytes: number }[] = [];
  const shares = sharesOf(
    entries.map(([, item]) => lengthOf(item)),
    characters - entries.length * 20,
  );
  const shown = entries.map(([key, item], index) => {
    const share = shares[index] ?? 0;
    if (lengthOf(item) <= share || typeof item !== "object" || item === null) {
      return [key, item] as const;
    }
    if (share < leastCharacters) {
      leftOut.push({ path: `${below}/${key}`, bytes: lengthOf(item) });
      return [key, placeholderOf(item)] as const;
    }
    const inner = outlineConfig(item, `${below}/${key}`, share);
    leftOut.push(...inner.leftOut);
    return [key, inner.value] as const;
  });
  const more = all.length - entries.length;
  const rest = { [leftOutMember]: `${more} more` };
  if (more > 0) {
    leftOut.unshift({ path: path === "" ? "/" : path, bytes: lengthOf(value) });
  }
  return Array.isArray(value)
    ? { value: [...shown.map(([, item]) => item), ...(more > 0 ? [rest] : [])], leftOut }
    : { value: { ...Object.fromEntries(shown), ...(more > 0 && rest) }, leftOut };
}
