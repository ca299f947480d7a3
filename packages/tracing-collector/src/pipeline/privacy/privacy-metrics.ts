import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { PrivacyRule } from "./privacy-rule.ts";
import type { RuleSet } from "./rule-set.ts";

/** The rules in use, with their names. */
export interface RulesInUse {
  readonly rules: readonly PrivacyRule[];
  readonly set: RuleSet;
}

/** Metrics of privacy rules; names start with `tracing_collector_privacy_`. No label or value comes from a span. */
export class PrivacyMetrics {
  readonly #values: Counter<"rule" | "action" | "mode">;
  readonly #reloads: Counter<"result">;
  readonly #upToDate: Gauge;
  #inUse: RulesInUse | undefined;

  constructor(registry: Registry) {
    const registers = [registry];
    const count = () => this.#count();
    this.#values = new Counter({
      name: "tracing_collector_privacy_values_total",
      help: "Values that a privacy rule changed; with mode dry-run, those that it would have changed.",
      labelNames: ["rule", "action", "mode"],
      registers,
      collect: count,
    });
    this.#reloads = new Counter({
      name: "tracing_collector_privacy_reloads_total",
      help: "Changed files of privacy rules, by result: used, or refused because of a mistake.",
      labelNames: ["result"],
      registers,
    });
    this.#upToDate = new Gauge({
      name: "tracing_collector_privacy_rules_up_to_date",
      help: "1 when the rules in use are those of the file; 0 when the file has a mistake or is gone, and older rules are used.",
      registers,
    });
  }

  /** Counts for these rules from now on. */
  use(inUse: RulesInUse): void {
    this.#count();
    this.#inUse = inUse;
    this.#upToDate.set(1);
    for (const rule of inUse.rules) {
      this.#values.inc(labelsOf(rule), 0);
    }
  }

  /** Counts a file that was read again. */
  reloaded(result: "used" | "refused"): void {
    this.#reloads.inc({ result });
  }

  /** Whether the rules in use are those of the file. */
  set isUpToDate(value: boolean) {
    this.#upToDate.set(value ? 1 : 0);
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
