import type { TwinDifference } from "./compare-observations.ts";

const answersStatus = /^answer \d+ status$/;

const logEntry = /^(log \d+ )\.logger$/;

/**
 * Differences that cause others, most important first: an answer with another status also has another body and another
 * log entry.
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

/** Counters and entries that are consequences of exchanges. */
const following = /^(metric|log, unnamed|upstream, unnamed)/;
/** Facts of a request that change counters although the client saw no difference. */
const countedApart = /^error log$|^log \d+ \.(status|logger)$/;
/** Limit of the parts of one request that a counter counts: routes, routes of errors, further tries. */
const countsOfRequest = 3;

/** True when diverging exchanges can explain the whole difference in a fact of the site. */
function mayFollow({ path, theirs, ours }: TwinDifference, requestsApart: number): boolean {
  if (!path.startsWith("metric ") || path === "metric hosts") {
    return requestsApart > 0;
  }
  return Math.abs(Number(theirs ?? 0) - Number(ours ?? 0)) <= requestsApart * countsOfRequest;
}

/** Number of requests in an exchange, from its text. */
const requestsOf = (group: readonly TwinDifference[]): number =>
  (group[0]?.request ?? "").split(" + ").length;

/**
 * Returns the differences that are not consequences of others. For an exchange these are its causes; for the site, the
 * causes that no diverging exchange explains.
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
    // A difference on purpose explains no other difference, except when it is a difference of status.
    const meant = group.filter(isKnown);
    // A log entry that only one server has counts as one difference.
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
