import type { TwinRunCounts } from "./twin-counts.ts";

const sum = (values: Iterable<number>) => [...values].reduce((all, each) => all + each, 0);

export function summaryOf({ known, unknown, unstable, ...numbers }: TwinRunCounts) {
  return {
    ...numbers,
    unknownKinds: unknown.size,
    unknown: sum(unknown.values()),
    known: sum(known.values()),
    unstable: sum(unstable.values()),
  };
}

const most = (counts: ReadonlyMap<string, number>) => [...counts].sort(([, one], [, other]) => other - one);

/** The counts of a run as lines of text. @param reasons all reasons in the list of known differences */
export function describeCounts(counts: TwinRunCounts, reasons: readonly string[]): string {
  const all = summaryOf(counts);
  return [
    ...most(counts.known).map(([reason, count]) => `${count} known: ${reason}`),
    ...reasons.filter((reason) => !counts.known.has(reason)).map((reason) => `UNUSED entry: ${reason}`),
    ...most(counts.unstable).map(([kind, count]) => `${count} not there each time: ${kind}`),
    ...most(counts.unknown).map(([kind, count]) => `${count} UNKNOWN: ${kind}`),
    `${all.requests} requests to ${all.sites} sites (${all.refused} refused by the model), of them ` +
      `${all.busy.requests} to ${all.busy.sites} at a load average above 8: ${all.unknown} unknown differences of ` +
      `${all.unknownKinds} kinds, ${all.known} known ones, ${all.unstable} not there each time`,
  ].join("\n");
}
