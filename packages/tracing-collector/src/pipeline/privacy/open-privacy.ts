import type { Registry } from "@prometheus-io/client";
import type { CollectorOptions } from "../../options/collector-options.ts";
import { ReloadMetrics } from "../files/reload-metrics.ts";
import { readAtStart, WatchedFile, type WatchedFileContext } from "../files/watched-file.ts";
import { compileRule } from "./compiled-rule.ts";
import { PrivacyRulesError } from "./parse-privacy-rules.ts";
import type { PrivacyRules } from "./privacy-rule.ts";
import { PrivacyStep } from "./privacy-step.ts";
import { PrivacyValues } from "./privacy-values.ts";
import { readPrivacyRules } from "./read-privacy-rules.ts";
import { RuleSet } from "./rule-set.ts";

/** Privacy rules as the options configure them. */
export interface OpenPrivacy {
  /**
   * The step that applies the rules; empty without rules. It must run before all steps that store or count span names.
   */
  readonly steps: readonly PrivacyStep[];
  /** Reads the file once, in addition to the reads at each interval. Never rejects. */
  look(): Promise<void>;
  /** Stops the reloading. */
  close(): Promise<void>;
}

interface PrivacyContext extends WatchedFileContext {
  readonly metrics: Registry;
}

/**
 * Reads the file of rules, now and at each interval. A mistake that is found later leaves the rules unchanged. Without
 * a file there is no step.
 * @throws StartError with file, line and field of a mistake
 */
export async function openPrivacy(options: CollectorOptions, context: PrivacyContext): Promise<OpenPrivacy> {
  const path = options["collector.privacy.rules-file"];
  if (path === "") {
    return { steps: [], async look() {}, async close() {} };
  }
  const read = () => readPrivacyRules(path);
  const first = await readAtStart("collector.privacy.rules-file", PrivacyRulesError, read);
  const values = new PrivacyValues(context.metrics);
  // Starts to use a set of rules and to count its changed values.
  const begin = (rules: PrivacyRules, how: string) => {
    const set = ruleSetOf(rules);
    values.use({ rules: rules.rules, set });
    say(rules, `privacy rules ${how} from ${path}`);
    return set;
  };
  const step = new PrivacyStep(begin(first, "read"));
  const names = {
    reloads: "tracing_collector_privacy_reloads_total",
    upToDate: "tracing_collector_privacy_rules_up_to_date",
    contents: "privacy rules",
  };
  const watched = new WatchedFile(
    first,
    {
      ...{ contents: "privacy rules", topic: "privacy-rules", read },
      keyOf: textOf,
      use: (rules) => step.use(begin(rules, "read again")),
      metrics: new ReloadMetrics(names, context.metrics),
    },
    context,
  );
  watched.start(options["collector.privacy.reload-interval"]);
  return { steps: [step], look: () => watched.look(), close: () => watched.close() };

  function say({ rules }: PrivacyRules, message: string): void {
    const dryRun = rules.filter((rule) => rule["dry-run"]).map(({ name }) => name);
    context.log.info({ rules: rules.map(({ name }) => name), ...(dryRun.length > 0 && { dryRun }) }, message);
  }
}

/** Compiles rules for a step. */
export function ruleSetOf({ rules, hashKey }: PrivacyRules): RuleSet {
  return new RuleSet(rules.map((rule, index) => compileRule(rule, index, hashKey)));
}

/** Writes rules as a text that is equal for equal rules. It stays in memory and contains the key. */
function textOf({ rules, hashKey }: PrivacyRules): string {
  return JSON.stringify([rules, hashKey?.toString("latin1")]);
}
