import { isDeepStrictEqual } from "node:util";
import { knownReason } from "../serverfile/known-serverfile-differences.ts";
import { compareObservations, signatureOf, type TwinDifference } from "./compare/compare-observations.ts";
import type { KnownTwinDifferences } from "./compare/known-twin-differences.ts";
import { leadingDifferences } from "./compare/leading-differences.ts";
import { type DrawnSite, drawSite } from "./draw-case.ts";
import { shrinkCase } from "./shrink/shrink-case.ts";
import { repairSite } from "./sites/draw-site.ts";
import type { Twin, TwinCase, Verdict } from "./twin-case.ts";

/** Two servers that get the same. */
export interface Twins {
  readonly theirs: Twin;
  readonly ours: Twin;
  /** Lines of our log that say that something ended badly; taken out when they are read. */
  readonly alarms: string[];
  /** Makes waits so many times longer. */
  setPatience(factor: number): void;
}

/** A kind of difference, with the smallest case that shows it. */
export interface Finding {
  readonly signature: string;
  readonly difference: TwinDifference;
  readonly twinCase: TwinCase;
  readonly site: number;
  count: number;
}

export interface TwinRunOptions {
  readonly seed: number;
  readonly sites: number;
  readonly requests: number;
  /** In milliseconds since 1970. */
  readonly until: number;
  readonly archetype?: string;
  readonly known: KnownTwinDifferences;
  /** Longest time to shrink a case. */
  readonly shrinkMs: number;
  onFinding(finding: Finding): void;
  onSite(run: TwinRunCounts): void;
}

export interface TwinRunCounts {
  sites: number;
  /** Texts that the model refuses even after repairs. */
  refused: number;
  exchanges: number;
  requests: number;
  readonly known: Map<string, number>;
  readonly findings: Map<string, Finding>;
  /** Differences that were not there when the case ran once more, by their signature. */
  readonly unstable: Map<string, number>;
}

const siteDifference = (path: string, theirs: string, ours: string): TwinDifference => ({
  exchange: undefined,
  request: "site",
  path,
  theirs,
  ours,
});

/** A difference that stays is looked at with waits so many times longer, so that a busy machine is no reason. */
const secondLook = 5;

/** Runs sites on both until their number or the time is over. */
export class TwinRun {
  readonly #twins: Twins;
  readonly #options: TwinRunOptions;
  readonly counts: TwinRunCounts = {
    sites: 0,
    refused: 0,
    exchanges: 0,
    requests: 0,
    known: new Map(),
    findings: new Map(),
    unstable: new Map(),
  };

  constructor(twins: Twins, options: TwinRunOptions) {
    this.#twins = twins;
    this.#options = options;
  }

  async run(): Promise<TwinRunCounts> {
    const { seed, sites, until, archetype } = this.#options;
    for (let index = 0; index < sites && Date.now() < until; index++) {
      await this.#site(index, drawSite(seed, index, archetype));
      this.#options.onSite(this.counts);
    }
    return this.counts;
  }

  async #site(index: number, drawn: DrawnSite): Promise<void> {
    const { theirs } = this.#twins;
    this.counts.sites++;
    await this.#compareVerdicts(index, drawn.text);
    const site = await repairSite(drawn.text, (text) => theirs.load(text));
    if (site === undefined) {
      this.counts.refused++;
      return;
    }
    const twinCase = { site, steps: drawn.steps(site, this.#options.requests) };
    const exchanges = twinCase.steps.flatMap((step) => step.exchanges);
    this.counts.exchanges += exchanges.length;
    this.counts.requests += exchanges.reduce((sum, { requests }) => sum + requests.length, 0);
    const found = await this.#differences(twinCase);
    if (found.length === 0) return;
    // The same again, and slower: what is gone then is of chance, which is counted on its own.
    this.#twins.setPatience(secondLook);
    try {
      const again = await this.#differences(twinCase);
      const staying = found.filter(({ path, exchange }) =>
        again.some((other) => other.path === path && other.exchange === exchange),
      );
      for (const difference of found) {
        if (staying.includes(difference)) continue;
        const signature = signatureOf(difference);
        this.counts.unstable.set(signature, (this.counts.unstable.get(signature) ?? 0) + 1);
      }
      for (const difference of staying) await this.#note(index, twinCase, difference);
    } finally {
      this.#twins.setPatience(1);
    }
  }

  /** What both adapters make of a text, and whether both load it. */
  async #compareVerdicts(index: number, text: string): Promise<void> {
    const { theirs, ours } = this.#twins;
    const [their, our] = [await theirs.adapt(text), await ours.adapt(text)];
    const twinCase = { site: text, steps: [] };
    if (their.status !== our.status || (their.status === 200 && !isSameDocument(their, our))) {
      const plain = { seed: index, text, theirs: their.body, ours: our.body };
      const reason = knownReason(plain);
      if (reason !== undefined) this.#countKnown(reason);
      else await this.#note(index, twinCase, siteDifference("adapt", their.body, our.body));
      return;
    }
    if (their.status !== 200) return;
    const [theirLoad, ourLoad] = [await theirs.load(text), await ours.load(text)];
    if (theirLoad.status !== ourLoad.status) {
      await this.#note(index, twinCase, siteDifference("load", theirLoad.body, ourLoad.body));
    }
  }

  #countKnown(reason: string): void {
    this.counts.known.set(reason, (this.counts.known.get(reason) ?? 0) + 1);
  }

  /** Unknown differences of a case, and alarms of our server. */
  async #differences(twinCase: TwinCase): Promise<TwinDifference[]> {
    const { theirs, ours, alarms } = this.#twins;
    const [their, our] = await Promise.all([theirs.run(twinCase), ours.run(twinCase)]);
    const differences = compareObservations(twinCase, their, our);
    if (alarms.length > 0)
      differences.push(siteDifference("alarm", "", alarms.splice(0).join("\n").slice(0, 2_000)));
    return leadingDifferences(differences).filter((difference) => {
      const reason = this.#options.known.reasonOf(twinCase.site, difference);
      if (reason !== undefined) this.#countKnown(reason);
      return reason === undefined;
    });
  }

  /** Counts a difference; the first one of its kind is shrunk and kept. */
  async #note(index: number, twinCase: TwinCase, difference: TwinDifference): Promise<void> {
    const known = this.#options.known.reasonOf(twinCase.site, difference);
    if (known !== undefined) {
      this.#countKnown(known);
      return;
    }
    const signature = signatureOf(difference);
    const before = this.counts.findings.get(signature);
    if (before !== undefined) {
      before.count++;
      return;
    }
    const isVerdict = difference.path === "adapt" || difference.path === "load";
    const differs = async (candidate: TwinCase) =>
      isVerdict
        ? this.#verdictsDiffer(candidate, difference.path)
        : (await this.#differences(candidate)).some((each) => signatureOf(each) === signature);
    const smallest = await this.#shrink(twinCase, difference.exchange, differs);
    const shown = isVerdict
      ? difference
      : ((await this.#differences(smallest)).find((each) => signatureOf(each) === signature) ?? difference);
    const finding: Finding = { signature, difference: shown, twinCase: smallest, site: index, count: 1 };
    this.counts.findings.set(signature, finding);
    this.#options.onFinding(finding);
  }

  /** @param exchange where the difference was */
  async #shrink(
    twinCase: TwinCase,
    exchange: number | undefined,
    differs: (candidate: TwinCase) => Promise<boolean>,
  ): Promise<TwinCase> {
    this.#twins.setPatience(2);
    const until = Date.now() + this.#options.shrinkMs;
    const only = twinCase.steps.flatMap((step) => step.exchanges)[exchange ?? -1];
    const alone: TwinCase | undefined =
      only === undefined ? undefined : { site: twinCase.site, steps: [{ exchanges: [only] }] };
    const begin = alone !== undefined && (await differs(alone)) ? alone : twinCase;
    return shrinkCase(begin, differs, until);
  }

  async #verdictsDiffer({ site }: TwinCase, path: string): Promise<boolean> {
    const { theirs, ours } = this.#twins;
    const [their, our] = [await theirs.adapt(site), await ours.adapt(site)];
    if (path === "adapt") {
      return their.status !== our.status || (their.status === 200 && !isSameDocument(their, our));
    }
    if (their.status !== 200 || our.status !== 200) return false;
    return (await theirs.load(site)).status !== (await ours.load(site)).status;
  }
}

function isSameDocument(their: Verdict, our: Verdict): boolean {
  const result = ({ body }: Verdict) => (JSON.parse(body) as { result: unknown }).result;
  return isDeepStrictEqual(result(their), result(our));
}
