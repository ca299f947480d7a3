import { loadavg } from "node:os";
import { signatureOf, type TwinDifference } from "./compare/compare-observations.ts";
import type { EntryScope, KnownTwinDifferences } from "./compare/known-twin-differences.ts";
import { type KnownDifference, TwinComparison, type Twins } from "./compare/twin-comparison.ts";
import { CaseConfirmation, shows } from "./confirm-difference.ts";
import { type DrawnSite, drawSite } from "./draw-case.ts";
import { narrowSteps } from "./requests/narrow-steps.ts";
import { shrinkCase } from "./shrink/shrink-case.ts";
import { repairSite } from "./sites/draw-site.ts";
import type { TwinCase } from "./twin-case.ts";
import { addTally, countOne, noCounts, type SiteTally, type TwinRunCounts } from "./twin-counts.ts";

/** A kind of difference, with the smallest case that shows it. */
export interface Finding {
  readonly signature: string;
  readonly difference: TwinDifference;
  readonly twinCase: TwinCase;
  readonly site: number;
}

export interface TwinRunOptions {
  readonly seed: number;
  readonly sites: number;
  /** Number of exchanges with each site. */
  readonly requests: number;
  /** End of the run, in milliseconds since 1970. */
  readonly until: number;
  /** After this many requests, no further site begins (default: no limit). */
  readonly totalRequests?: number;
  readonly archetype?: string;
  /** Limits the run to sites and exchanges in this scope. */
  readonly scope?: EntryScope;
  readonly known: KnownTwinDifferences;
  /** Milliseconds for shrinking one case. After this time the smallest case so far is reported. */
  readonly shrinkMs: number;
  /** Number of cases of each kind that are shrunk (default 1). */
  readonly examples?: number;
  /** Outcomes of sites from an earlier run with the same seed; these sites are not run again. */
  readonly done?: readonly SiteTally[];
  /** Kinds of differences of which earlier runs have already shrunk a case. */
  readonly shrunk?: readonly string[];
  /** Called when a site begins. */
  onBegin?(site: number): void;
  onFinding(finding: Finding): void;
  onKnown?(known: KnownDifference, site: string): void;
  onSite(tally: SiteTally, run: TwinRunCounts): void;
  /** Opens a new pair to replace one whose process has ended. */
  reopen?(ended: Twins): Promise<Twins>;
}

/**
 * A difference that remains is checked again with all waits multiplied by this factor, to exclude a busy machine as the
 * reason.
 */
const secondLook = 5;
/** Number of exchanges that are drawn for each exchange within the scope, if there is a scope. */
const drawnForOne = 25;
/** Steps of a site that run at the same time in the first run. */
const firstWidth = 8;

interface OpenTally extends Omit<SiteTally, "known" | "unknown" | "unstable" | "load"> {
  readonly known: Map<string, number>;
  readonly unknown: Map<string, number>;
  readonly unstable: Map<string, number>;
}

/**
 * Runs sites on pairs of servers until the number of sites or the time limit is reached; each pair runs one site after
 * another.
 */
export class TwinRun {
  readonly #pairs: readonly Twins[];
  readonly #options: TwinRunOptions;
  readonly #done: ReadonlySet<number>;
  readonly #examples = new Map<string, number>();
  /** Kinds of differences that a pair is studying; other pairs wait for its result. */
  readonly #studies = new Map<string, Promise<unknown>>();
  #next = 0;
  #begun = 0;
  readonly counts = noCounts();
  /** The first case of each kind. */
  readonly findings = new Map<string, Finding>();

  constructor(pairs: readonly Twins[], options: TwinRunOptions) {
    this.#pairs = pairs;
    this.#options = options;
    this.#done = new Set(options.done?.map(({ site }) => site));
    for (const tally of options.done ?? []) {
      addTally(this.counts, tally);
    }
    for (const kind of options.shrunk ?? []) {
      this.#examples.set(kind, 1);
    }
    this.#begun = this.counts.requests;
  }

  async run(): Promise<TwinRunCounts> {
    await Promise.all(this.#pairs.map((twins) => this.#sites(twins)));
    return this.counts;
  }

  async #sites(first: Twins): Promise<void> {
    const { seed, sites, until, archetype, scope, requests, totalRequests, known } = this.#options;
    const most = totalRequests ?? Number.POSITIVE_INFINITY;
    let twins = first;
    while (Date.now() < until && this.#begun < most) {
      while (this.#done.has(this.#next)) {
        this.#next++;
      }
      const index = this.#next++;
      if (index >= sites) {
        return;
      }
      const drawn = drawSite(seed, index, archetype);
      if (scope?.holds(drawn.text) === false) {
        continue;
      }
      this.#begun += requests;
      this.#options.onBegin?.(index);
      const tally: OpenTally = {
        seed,
        site: index,
        isRefused: false,
        exchanges: 0,
        requests: 0,
        known: new Map(),
        unknown: new Map(),
        unstable: new Map(),
      };
      try {
        await this.#site(new TwinComparison(twins, known), drawn, tally);
      } catch (error) {
        if (twins.isAlive) {
          throw error;
        }
        countOne(tally.unknown, `a process ended: ${error instanceof Error ? error.message : error}`);
        if (this.#options.reopen === undefined) {
          throw error;
        }
        twins = await this.#options.reopen(twins);
      }
      const closed: SiteTally = {
        ...tally,
        known: Object.fromEntries(tally.known),
        unknown: Object.fromEntries(tally.unknown),
        unstable: Object.fromEntries(tally.unstable),
        load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
      };
      addTally(this.counts, closed);
      this.#options.onSite(closed, this.counts);
    }
  }

  async #site(comparison: TwinComparison, drawn: DrawnSite, tally: OpenTally): Promise<void> {
    const { theirs } = comparison.twins;
    const verdicts = await comparison.verdicts(drawn.text);
    this.#countKnown(verdicts.known, drawn.text, tally);
    await this.#note(comparison, { site: drawn.text, steps: [] }, verdicts.unknown, tally);
    const site = await repairSite(drawn.text, (text) => theirs.load(text));
    if (site === undefined) {
      tally.isRefused = true;
      return;
    }
    const { requests, scope } = this.#options;
    const steps =
      scope === undefined
        ? drawn.steps(site, requests)
        : narrowSteps(
            drawn.steps(site, requests * drawnForOne),
            (words) => scope.holds(site, words),
            requests,
          );
    const twinCase = { site, steps };
    const exchanges = twinCase.steps.flatMap((step) => step.exchanges);
    tally.exchanges = exchanges.length;
    tally.requests = exchanges.reduce((sum, { requests }) => sum + requests.length, 0);
    const { unknown, known } = await comparison.run(twinCase, firstWidth);
    this.#countKnown(known, site, tally);
    await this.#note(comparison, twinCase, unknown, tally);
  }

  #countKnown(known: readonly KnownDifference[], site: string, tally: OpenTally): void {
    for (const each of known) {
      countOne(tally.known, each.reason);
      this.#options.onKnown?.(each, site);
    }
  }

  /** Counts differences; the first cases of each kind are confirmed and shrunk. */
  async #note(
    comparison: TwinComparison,
    twinCase: TwinCase,
    differences: readonly TwinDifference[],
    tally: OpenTally,
  ): Promise<void> {
    if (differences.length === 0) {
      return;
    }
    const confirmation = new CaseConfirmation(comparison, twinCase);
    // The cases run one after the other and with longer waits. Differences that then disappear are random and counted
    // separately.
    comparison.twins.setPatience(secondLook);
    for (const [signature, group] of Map.groupBy(differences, signatureOf)) {
      while (this.#studies.has(signature)) {
        await this.#studies.get(signature);
      }
      const study = this.#studyGroup(comparison, confirmation, signature, group, tally);
      this.#studies.set(
        signature,
        study.catch(() => {}).finally(() => this.#studies.delete(signature)),
      );
      await study;
    }
    comparison.twins.setPatience(1);
  }

  async #studyGroup(
    comparison: TwinComparison,
    confirmation: CaseConfirmation,
    signature: string,
    group: readonly TwinDifference[],
    tally: OpenTally,
  ): Promise<void> {
    const most = this.#options.examples ?? 1;
    for (const difference of group) {
      const examples = this.#examples.get(signature) ?? 0;
      if (examples >= most) {
        countOne(tally.unknown, signature);
        continue;
      }
      const confirmed = await confirmation.confirm(difference);
      countOne(confirmed === undefined ? tally.unstable : tally.unknown, signature);
      if (confirmed === undefined) {
        continue;
      }
      this.#examples.set(signature, examples + 1);
      await this.#keep(comparison, confirmed, difference, tally.site);
      comparison.twins.setPatience(secondLook);
    }
  }

  async #keep(
    comparison: TwinComparison,
    confirmed: TwinCase,
    difference: TwinDifference,
    site: number,
  ): Promise<void> {
    const signature = signatureOf(difference);
    comparison.twins.setPatience(2);
    const smallest = await shrinkCase(
      confirmed,
      (candidate) => shows(comparison, candidate, signature),
      Date.now() + this.#options.shrinkMs,
    );
    comparison.twins.setPatience(secondLook);
    const { unknown } =
      smallest.steps.length === 0 ? await comparison.verdicts(smallest.site) : await comparison.run(smallest);
    const shown = unknown.find((each) => signatureOf(each) === signature) ?? difference;
    const finding = { signature, difference: shown, twinCase: smallest, site };
    if (!this.findings.has(signature)) {
      this.findings.set(signature, finding);
    }
    this.#options.onFinding(finding);
  }
}
