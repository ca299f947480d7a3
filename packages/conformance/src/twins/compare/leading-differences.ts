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
/** Facts of a request that counters show otherwise though its client saw the same. */
const countedApart = /^error log$|^log \d+ \.(status|logger)$/;
/** Parts of one request in a counter, at most: routes, routes of errors, further tries. */
const countsOfRequest = 3;

/** Whether exchanges that went another way can be all of a difference at the site as a whole. */
function mayFollow({ path, theirs, ours }: TwinDifference, requestsApart: number): boolean {
  if (!path.startsWith("metric ") || path === "metric hosts") {
    return requestsApart > 0;
  }
  return Math.abs(Number(theirs ?? 0) - Number(ours ?? 0)) <= requestsApart * countsOfRequest;
}

/** Requests of an exchange, by its words. */
const requestsOf = (group: readonly TwinDifference[]): number =>
  (group[0]?.request ?? "").split(" + ").length;

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
  let requestsApart = 0;
  const leadingOnes = [...byExchange].flatMap(([exchange, group]) => {
    const goesApart =
      exchange !== undefined &&
      group.some(({ path }) => countedApart.test(path) || leading.some((each) => each.test(path)));
    const status = group.find(({ path }) => answersStatus.test(path));
    if (goesApart || status !== undefined) {
      requestsApart += requestsOf(group);
    }
    if (status !== undefined) {
      return [status];
    }
    // One that is meant explains nothing else, but for another status.
    const meant = group.filter(isKnown);
    // But an entry of the log that only one of them has is one difference.
    const entries = meant.flatMap(({ path }) => logEntry.exec(path)?.[1] ?? []);
    const rest = group.filter(
      (each) => !meant.includes(each) && !entries.some((entry) => each.path.startsWith(entry)),
    );
    for (const pattern of leading) {
      const first = rest.find(({ path }) => pattern.test(path));
      if (first === undefined) {
        continue;
      }
      return [...meant, first];
    }
    return [...meant, ...rest];
  });
  return leadingOnes.filter(
    (each) => each.exchange !== undefined || !following.test(each.path) || !mayFollow(each, requestsApart),
  );
}
