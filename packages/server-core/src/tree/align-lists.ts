import { encodeJson } from "../json/encode-json.ts";
import { idKey } from "../json/id-index.ts";
import { isJsonObject, type JsonValue, member } from "../json/json-value.ts";

/** Maximum number of pairs for the comparison; above it, elements are matched by position only. */
const maxPairs = 250_000;

/** An element of one list and its counterpart in the other. */
export interface MatchedPair {
  /** Index in the old list. */
  readonly before: number;
  /** Index in the new list. */
  readonly after: number;
}

/** The identity of an element: its `@id`, otherwise its whole content. */
function identityOf(element: JsonValue): string {
  const id = isJsonObject(element) ? member(element, idKey) : undefined;
  return typeof id === "string" || typeof id === "number" ? `@${id}` : encodeJson(element);
}

/**
 * The longest sequence of elements that two lists share in the same order. Elements with the same `@id` count as equal,
 * whatever their other members contain.
 * @returns pairs in the order of both lists; empty when the lists are too long to compare, or have at most one pair
 */
export function alignLists(before: readonly JsonValue[], after: readonly JsonValue[]): MatchedPair[] {
  const pairsToLookAt = before.length * after.length;
  if (pairsToLookAt <= 1 || pairsToLookAt > maxPairs) {
    return [];
  }
  const [ours, theirs] = [before.map(identityOf), after.map(identityOf)];
  const width = theirs.length + 1;
  // lengths[b * width + a]: number of elements that the lists share, from position b of `before` and position a of
  // `after` on
  const lengths = new Uint32Array((ours.length + 1) * width);
  const at = (b: number, a: number) => lengths[b * width + a] ?? 0;
  for (let b = ours.length - 1; b >= 0; b--) {
    for (let a = theirs.length - 1; a >= 0; a--) {
      lengths[b * width + a] =
        ours[b] === theirs[a] ? at(b + 1, a + 1) + 1 : Math.max(at(b + 1, a), at(b, a + 1));
    }
  }
  const pairs: MatchedPair[] = [];
  for (let b = 0, a = 0; b < ours.length && a < theirs.length; ) {
    if (ours[b] === theirs[a]) {
      pairs.push({ before: b++, after: a++ });
    } else if (at(b + 1, a) >= at(b, a + 1)) {
      b++;
    } else {
      a++;
    }
  }
  return pairs;
}
