import type { CompiledRule } from "./compiled-rule.ts";
import { RuleViews } from "./rule-view.ts";
import { ValueJudge } from "./value-judge.ts";

/** Compiled rules with their caches and counts, which a reload replaces as a whole. */
export class RuleSet {
  readonly views: RuleViews;
  readonly judge = new ValueJudge();
  /** Values that each rule changed, or would have in a dry run, since they were taken. */
  readonly hits: Float64Array;

  constructor(rules: readonly CompiledRule[]) {
    this.views = new RuleViews(rules);
    this.hits = new Float64Array(rules.length);
  }
}
