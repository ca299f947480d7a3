import type { AttributeDifference } from "./analysis-reader.ts";

/** Sorts attributes by the difference between their shares on the two sides, largest difference first. */
export function rankedDifferences(
  counts: readonly AttributeDifference[],
  selectedSpans: number,
  otherSpans: number,
  limit: number,
): AttributeDifference[] {
  const share = (count: number, of: number) => (of === 0 ? 0 : count / of);
  const difference = ({ selected, others }: AttributeDifference) =>
    Math.abs(share(selected, selectedSpans) - share(others, otherSpans));
  return counts
    .filter((count) => difference(count) > 0)
    .sort((one, other) => {
      const by = difference(other) - difference(one);
      if (by !== 0) {
        return by;
      }
      const text = ({ place, key, value }: AttributeDifference) => JSON.stringify([place, key, value]);
      return text(one) < text(other) ? -1 : 1;
    })
    .slice(0, limit);
}
