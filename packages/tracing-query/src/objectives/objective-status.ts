import {
  type BurnWindow,
  burnRate,
  burnRules,
  burnsOf,
  fires,
  type Severity,
  type WindowBurn,
} from "./burn-rates.ts";
import type { SpanSum } from "./count-ring.ts";
import type { Objective } from "./objective.ts";
import type { ObjectiveCounts } from "./objective-counts.ts";

/**
 * States of an objective, the worst first:
 *
 * - `missed`: more than the budget is spent
 * - `burning`: an alert fires
 * - `failed`: the last read failed, so the figures are older than they should be, or absent
 * - `counting`: the window is not completely counted yet
 * - `met`: some of the budget is left
 * - `empty`: the window has no spans
 */
export const objectiveStates = ["missed", "burning", "failed", "counting", "met", "empty"] as const;

/** See {@link objectiveStates}. */
export type ObjectiveState = (typeof objectiveStates)[number];

/** A severity whose alert fires. */
export interface FiringAlert {
  readonly severity: Severity;
  /** Begin of the alert, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
}

/** An objective, its counts, and the results of its last reads. */
export class ObjectiveStatus {
  readonly objective: Objective;
  readonly counts: ObjectiveCounts;
  /** Why the last read of new spans failed. */
  newError: string | undefined;
  /** Why the last read of history failed. */
  oldError: string | undefined;
  readonly firing = new Map<Severity, FiringAlert>();
  #burns: ReadonlyMap<BurnWindow, WindowBurn> = new Map();

  constructor(objective: Objective, counts: ObjectiveCounts) {
    this.objective = objective;
    this.counts = counts;
  }

  /** Burn rates by window, from the last count. A window that is not completely counted is absent. */
  get burns(): ReadonlyMap<BurnWindow, WindowBurn> {
    return this.#burns;
  }

  /** Sum of the counted spans in the window; incomplete until the whole window is counted. */
  get sum(): SpanSum {
    return this.counts.window();
  }

  /** Why the figures are outdated, or lack history; undefined after successful reads. */
  get error(): string | undefined {
    return this.newError ?? this.oldError;
  }

  /** The share of the budget that is left, at most 1, below 0 when the objective is missed; undefined without spans. */
  get budgetLeft(): number | undefined {
    const spent = burnRate(this.sum, this.objective.target);
    return spent === undefined ? undefined : 1 - spent;
  }

  get state(): ObjectiveState {
    const left = this.budgetLeft;
    // Counts of only a part of the window do not show how much of the budget is spent.
    if (this.counts.isComplete && left !== undefined && left < 0) {
      return "missed";
    }
    if (this.firing.size > 0) {
      return "burning";
    }
    if (this.error !== undefined) {
      return "failed";
    }
    if (!this.counts.isComplete) {
      return "counting";
    }
    return left === undefined ? "empty" : "met";
  }

  /**
   * Computes burn rates, and decides which alerts fire. A rule whose windows are not counted changes nothing.
   * @returns alerts that began or ended
   */
  decide(nowMs: number): { readonly begun: FiringAlert[]; readonly ended: FiringAlert[] } {
    this.#burns = burnsOf(this.counts, this.objective.target);
    const begun: FiringAlert[] = [];
    const ended: FiringAlert[] = [];
    for (const severity of ["page", "ticket"] as const) {
      const rules = burnRules.filter((rule) => rule.severity === severity);
      const answers = rules.map((rule) => fires(rule, this.#burns, this.objective));
      const before = this.firing.get(severity);
      if (before === undefined && answers.includes(true)) {
        const alert = { severity, sinceMs: nowMs };
        this.firing.set(severity, alert);
        begun.push(alert);
      } else if (before !== undefined && answers.every((answer) => answer === false)) {
        this.firing.delete(severity);
        ended.push(before);
      }
    }
    return { begun, ended };
  }
}
