import { z } from "zod";

const counts = z.record(z.string(), z.number());

/** Outcome of one site. */
export const siteTallySchema = z.strictObject({
  seed: z.number(),
  site: z.number(),
  /** True when the model refuses the text even after repairs, so that no request was sent. */
  isRefused: z.boolean(),
  exchanges: z.number(),
  requests: z.number(),
  /** Number of known differences, by their reason. */
  known: counts,
  /** Number of unknown differences, by their kind. */
  unknown: counts,
  /** Number of differences that did not occur every time the case ran, by their kind. */
  unstable: counts,
  /** Load average of the machine at the end of the site. */
  load: z.number(),
});

export type SiteTally = z.infer<typeof siteTallySchema>;

export interface TwinRunCounts {
  sites: number;
  refused: number;
  exchanges: number;
  requests: number;
  /** Sites and requests that ended while the load average was above 8. */
  readonly busy: { sites: number; requests: number };
  readonly known: Map<string, number>;
  readonly unknown: Map<string, number>;
  readonly unstable: Map<string, number>;
}

const busyLoad = 8;

export const noCounts = (): TwinRunCounts => ({
  sites: 0,
  refused: 0,
  exchanges: 0,
  requests: 0,
  busy: { sites: 0, requests: 0 },
  known: new Map(),
  unknown: new Map(),
  unstable: new Map(),
});

/** Adds the outcome of a site to the counts of a run. */
export function addTally(all: TwinRunCounts, tally: SiteTally): void {
  all.sites++;
  if (tally.isRefused) {
    all.refused++;
  }
  all.exchanges += tally.exchanges;
  all.requests += tally.requests;
  if (tally.load > busyLoad) {
    all.busy.sites++;
    all.busy.requests += tally.requests;
  }
  for (const which of ["known", "unknown", "unstable"] as const) {
    for (const [name, count] of Object.entries(tally[which])) {
      countOne(all[which], name, count);
    }
  }
}

export function countOne(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}
