import type { TwinDifference } from "./compare-observations.ts";

/**
 * What brings other differences with it, the weightiest first: an answer of another status has another body, and its log
 * entry too.
 */
const leading: readonly RegExp[] = [
  /^(adapt|load|alarm)$/,
  /^answer \d+ status$/,
  /^end$|^answer \d+ (end|complete)$/,
  /^upstream \d+ (to|start)$/,
  /^upstream \d+ body$/,
  /^flow$/,
  /^answer \d+ body$/,
  /^log \d+ \.logger$/,
];

/** Of each exchange the differences that are not the consequence of another one. */
export function leadingDifferences(differences: readonly TwinDifference[]): TwinDifference[] {
  const byExchange = Map.groupBy(differences, ({ exchange }) => exchange);
  return [...byExchange.values()].flatMap((group) => {
    for (const pattern of leading) {
      const first = group.find(({ path }) => pattern.test(path));
      if (first !== undefined) return [first];
    }
    return group;
  });
}
