import { isDeepStrictEqual } from "node:util";
import { knownReason } from "../../serverfile/known-serverfile-differences.ts";
import { remembersRequests } from "../site-memory.ts";
import type { Twin, TwinCase, Verdict } from "../twin-case.ts";
import { compareObservations, type TwinDifference } from "./compare-observations.ts";
import type { KnownTwinDifferences } from "./known-twin-differences.ts";
import { leadingDifferences } from "./leading-differences.ts";

/** Two servers that receive the same requests. */
export interface Twins {
  readonly theirs: Twin;
  readonly ours: Twin;
  /** Lines of our log that report an internal failure; removed when they are read. */
  readonly alarms: string[];
  /** True when both processes run. */
  readonly isAlive: boolean;
  /** Multiplies all waits by this factor. */
  setPatience(factor: number): void;
}

/** Differences between two servers. */
export interface Differences {
  readonly unknown: readonly TwinDifference[];
  readonly known: readonly KnownDifference[];
}

/** A difference on purpose, and its reason. */
export interface KnownDifference {
  readonly reason: string;
  readonly difference: TwinDifference;
}

export const siteDifference = (path: string, theirs: string, ours: string): TwinDifference => ({
  exchange: undefined,
  request: "site",
  path,
  theirs,
  ours,
});

/** Facts whose differences may make an upstream fail for only one server. */
const decides =
  /^(answer \d+ (status|end|complete|body)|end|upstream \d+ (to|start|body)|upstream \d+ framing)$/;

/** Sends the same requests to both servers, and compares the results. */
export class TwinComparison {
  readonly twins: Twins;
  readonly #known: KnownTwinDifferences;

  constructor(twins: Twins, known: KnownTwinDifferences) {
    this.twins = twins;
    this.#known = known;
  }

  /** Runs a case on both servers. Alarms of our server are differences. @param width number of concurrent steps */
  async run(twinCase: TwinCase, width = 1): Promise<Differences> {
    const { theirs, ours, alarms } = this.twins;
    const [their, our] = await Promise.all([theirs.run(twinCase, width), ours.run(twinCase, width)]);
    const all = compareObservations(twinCase, their, our);
    if (alarms.length > 0) {
      all.push(siteDifference("alarm", "", alarms.splice(0).join("\n").slice(0, 2_000)));
    }
    const isKnown = (difference: TwinDifference) =>
      this.#known.reasonOf(twinCase.site, difference) !== undefined;
    return this.#explained(twinCase.site, this.#sorted(twinCase.site, leadingDifferences(all, isKnown)));
  }

  /**
   * When a site remembers requests and an answer differs on purpose, the servers remember different things, so later
   * differences have no meaning.
   */
  #explained(site: string, differences: Differences): Differences {
    if (!remembersRequests(site)) {
      return differences;
    }
    const { unknown, known } = differences;
    const first = known.reduce(
      (least, { difference: { exchange, path } }) =>
        exchange !== undefined && decides.test(path) ? Math.min(least, exchange) : least,
      Number.POSITIVE_INFINITY,
    );
    return { unknown: unknown.filter(({ exchange = Number.POSITIVE_INFINITY }) => exchange <= first), known };
  }

  /** Adapts and loads a text with both servers. */
  async verdicts(text: string): Promise<Differences> {
    const { theirs, ours } = this.twins;
    const [their, our] = await Promise.all([theirs.adapt(text), ours.adapt(text)]);
    if (their.status !== our.status || (their.status === 200 && !isSameDocument(their, our))) {
      const reason = knownReason({ seed: 0, text, theirs: their.body, ours: our.body });
      const difference = siteDifference("adapt", their.body, our.body);
      if (reason !== undefined) {
        return { unknown: [], known: [{ reason, difference }] };
      }
      return this.#sorted(text, [difference]);
    }
    if (their.status !== 200) {
      return { unknown: [], known: [] };
    }
    const [theirLoad, ourLoad] = await Promise.all([theirs.load(text), ours.load(text)]);
    if (theirLoad.status === ourLoad.status) {
      return { unknown: [], known: [] };
    }
    return this.#sorted(text, [siteDifference("load", theirLoad.body, ourLoad.body)]);
  }

  #sorted(site: string, differences: readonly TwinDifference[]): Differences {
    const unknown: TwinDifference[] = [];
    const known: KnownDifference[] = [];
    for (const difference of differences) {
      const reason = this.#known.reasonOf(site, difference);
      if (reason === undefined) {
        unknown.push(difference);
      } else {
        known.push({ reason, difference });
      }
    }
    return { unknown, known };
  }
}

function isSameDocument(their: Verdict, our: Verdict): boolean {
  const result = ({ body }: Verdict) => (JSON.parse(body) as { result: unknown }).result;
  return isDeepStrictEqual(result(their), result(our));
}
