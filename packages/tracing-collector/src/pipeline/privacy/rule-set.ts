import type { CompiledRule } from "./compiled-rule.ts";
import { RuleViews } from "./rule-view.ts";
import { ValueJudge } from "./value-judge.ts";

/** Compiled rules with their caches and counts. A reload replaces the whole set. */
export class RuleSet {
  readonly views: RuleViews;
  readonly judge = new ValueJudge();
  /** Number of values that each rule changed, or would change in a dry run, since the counts were read. */
  readonly hits: Float64Array;

  constructor(rules: readonly CompiledRule[]) {
    this.views = new RuleViews(rules);
    this.hits = new Float64Array(rules.length);
  }
}
