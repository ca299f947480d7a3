import { stableSort } from "../values/stable-sort.ts";
import type { ServedSite } from "./site.ts";

/**
 * Specificity of a text: its length without `*` and placeholders.
 * `*.example.com` has 12, `{env.HOST}` has 0.
 */
export function specificity(text: string): number {
  return text.replace(/\{[^}]*\}/g, "").replaceAll("*", "").length;
}

/** A site with its sort key. */
interface Key {
  readonly served: ServedSite;
  readonly isWildcard: boolean;
  readonly hostSpecificity: number;
  readonly pathLength: number;
}

/** The most specific text; among equally specific texts the first. */
function longest(texts: readonly string[]): string {
  let best = "";
  for (const text of texts) {
    if (specificity(text) > specificity(best)) {
      best = text;
    }
  }
  return best;
}

function keyOf(served: ServedSite): Key {
  const { addresses } = served;
  return {
    served,
    isWildcard: addresses.some(({ host }) => host === "" || host.includes("*")),
    hostSpecificity: specificity(longest(addresses.map(({ host }) => host))),
    pathLength: longest(addresses.map(({ path }) => path)).length,
  };
}

/**
 * True when site `a` comes before site `b`: exact hosts, then wildcards, then any host; longer hosts first, then longer
 * paths.
 */
function comesFirst(a: Key, b: Key): boolean {
  if (a.hostSpecificity === 0) {
    return false;
  }
  if (b.hostSpecificity === 0) {
    return true;
  }
  if (a.isWildcard !== b.isWildcard) {
    return b.isWildcard;
  }
  return a.hostSpecificity === b.hostSpecificity
    ? a.pathLength > b.pathLength
    : a.hostSpecificity > b.hostSpecificity;
}

/**
 * Sorts sites by host, the most specific first and any host last; sites with equal hosts are sorted by path, the
 * longest first.
 */
export function sortSites(sites: readonly ServedSite[]): ServedSite[] {
  const keys = sites.map(keyOf);
  stableSort(keys, comesFirst);
  return keys.map(({ served }) => served);
}
