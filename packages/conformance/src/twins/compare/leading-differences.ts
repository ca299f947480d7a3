import type { TwinDifference } from "./compare-observations.ts";

const answersStatus = /^answer \d+ status$/;

const logEntry = /^(log \d+ )\.logger$/;

/**
 * Differences that cause others, the weightiest first: an answer of another status has another body and another log
 * entry.
 */
const leading: readonly RegExp[] = [
  /^(adapt|load|alarm)$/,
  /^end$|^answer \d+ (end|complete)$/,
  /^upstream \d+ (to|start)$/,
  /^upstream \d+ body$/,
  /^flow$/,
  /^answer \d+ body$/,
  /^log \d+ \.logger$/,
];

/** Counters and entries that follow from what happened in exchanges. */
const following = /^(metric|log, unnamed|upstream, unnamed)/;

/**
 * Keeps the differences that do not follow from another one. For an exchange these are its own causes; for the site,
 * those that no diverging exchange explains.
 */
export function leadingDifferences(
  differences: readonly TwinDifference[],
  isKnown: (difference: TwinDifference) => boolean,
): TwinDifference[] {
  const load = differences.find(({ path }) => path === "load" || path === "adapt");
  if (load !== undefined) {
    return [load];
  }
  const byExchange = Map.groupBy(differences, ({ exchange }) => exchange);
  let isOtherWay = false;
  const leadingOnes = [...byExchange].flatMap(([exchange, group]) => {
    const status = group.find(({ path }) => answersStatus.test(path));
    if (status !== undefined) {
      isOtherWay = true;
      return [status];
    }
    // One that is meant explains nothing else, but for another status.
    const meant = group.filter(isKnown);
    // But an entry of the log that only one of them has is one difference.
    const entries = meant.flatMap(({ path }) => logEntry.exec(path)?.[1] ?? []);
    const rest = group.filter(
      (each) => !meant.includes(each) && !entries.some((entry) => each.path.startsWith(entry)),
    );
    isOtherWay ||=
      exchange !== undefined && meant.some(({ path }) => leading.some((each) => each.test(path)));
    for (const pattern of leading) {
      const first = rest.find(({ path }) => pattern.test(path));
      if (first === undefined) {
        continue;
      }
      isOtherWay ||= exchange !== undefined;
      return [...meant, first];
    }
    return [...meant, ...rest];
  });
  return leadingOnes.filter(
    ({ path, exchange }) => !(isOtherWay && exchange === undefined && following.test(path)),
  );
}
