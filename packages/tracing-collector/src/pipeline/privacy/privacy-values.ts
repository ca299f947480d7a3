import { Counter, type Registry } from "@prometheus-io/client";
import type { PrivacyRule } from "./privacy-rule.ts";
import type { RuleSet } from "./rule-set.ts";

/** The rules that apply now, with their names. */
export interface RulesInUse {
  readonly rules: readonly PrivacyRule[];
  readonly set: RuleSet;
}

/** Counts the values that privacy rules changed. No label comes from a span. */
export class PrivacyValues {
  readonly #values: Counter<"rule" | "action" | "mode">;
  #inUse: RulesInUse | undefined;

  constructor(registry: Registry) {
    const count = () => this.#count();
    this.#values = new Counter({
      name: "tracing_collector_privacy_values_total",
      help: "Values that a privacy rule changed; with mode dry-run, those that it would have changed.",
      labelNames: ["rule", "action", "mode"],
      registers: [registry],
      collect: count,
    });
  }

  /** Starts to count for these rules. */
  use(inUse: RulesInUse): void {
    this.#count();
    this.#inUse = inUse;
    for (const rule of inUse.rules) {
      this.#values.inc(labelsOf(rule), 0);
    }
  }

  #count(): void {
    if (this.#inUse === undefined) {
      return;
    }
    const { rules, set } = this.#inUse;
    for (const [index, rule] of rules.entries()) {
      const hits = set.hits[index] as number;
      if (hits > 0) {
        set.hits[index] = 0;
        this.#values.inc(labelsOf(rule), hits);
      }
    }
  }
}

function labelsOf(rule: PrivacyRule) {
  return { rule: rule.name, action: rule.action, mode: rule["dry-run"] ? "dry-run" : "applied" };
}
