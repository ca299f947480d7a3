import type { Registry } from "@prometheus-io/client";
import { type Health, type Logger, StartError } from "lifecycle";
import type { CollectorOptions } from "../../options/collector-options.ts";
import { compileRule } from "./compiled-rule.ts";
import { PrivacyRulesError } from "./parse-privacy-rules.ts";
import { PrivacyMetrics } from "./privacy-metrics.ts";
import type { PrivacyRules } from "./privacy-rule.ts";
import { PrivacyStep } from "./privacy-step.ts";
import { readPrivacyRules } from "./read-privacy-rules.ts";
import { RuleSet } from "./rule-set.ts";

/** Privacy rules as the options configure them. */
export interface OpenPrivacy {
  /**
   * The step that applies the rules; none without rules. It runs before all steps that keep or count names of spans.
   */
  readonly steps: readonly PrivacyStep[];
  /** Ends the reloading. */
  close(): Promise<void>;
}

interface PrivacyContext {
  readonly metrics: Registry;
  readonly log: Logger;
  readonly health: Pick<Health, "degrade">;
}

const topic = "privacy-rules";

/** Without a file of rules there is no step. @throws StartError naming file, line and field of a mistake */
export async function openPrivacy(options: CollectorOptions, context: PrivacyContext): Promise<OpenPrivacy> {
  const path = options["collector.privacy.rules-file"];
  if (path === "") {
    return { steps: [], async close() {} };
  }
  let rules: PrivacyRules;
  try {
    rules = await readPrivacyRules(path);
  } catch (error) {
    throw error instanceof PrivacyRulesError
      ? new StartError(`option --collector.privacy.rules-file: ${error.message}`, { cause: error })
      : error;
  }
  const reloading = new PrivacyReloading(path, rules, context);
  reloading.start(options["collector.privacy.reload-interval"]);
  return { steps: [reloading.step], close: () => reloading.close() };
}

/** Compiles rules for a step. */
export function ruleSetOf({ rules, hashKey }: PrivacyRules): RuleSet {
  return new RuleSet(rules.map((rule, index) => compileRule(rule, index, hashKey)));
}

/** Reads the file of rules again and again. A mistake in it leaves the rules as they are. */
export class PrivacyReloading {
  readonly step: PrivacyStep;
  readonly #path: string;
  readonly #context: PrivacyContext;
  readonly #metrics: PrivacyMetrics;
  /** The text of the rules in use. */
  #used: string;
  /** The last mistake; a mistake is logged once. */
  #fault: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(path: string, rules: PrivacyRules, context: PrivacyContext) {
    this.#path = path;
    this.#context = context;
    this.#metrics = new PrivacyMetrics(context.metrics);
    this.#used = textOf(rules);
    const set = ruleSetOf(rules);
    this.step = new PrivacyStep(set);
    this.#metrics.use({ rules: rules.rules, set });
    this.#say(rules, "read");
  }

  /** @param intervalMs 0: never */
  start(intervalMs: number): void {
    if (intervalMs === 0 || this.#isClosed) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#running = this.look().finally(() => this.start(intervalMs));
    }, intervalMs).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Reads the file once. Never rejects. */
  async look(): Promise<void> {
    const { health, log } = this.#context;
    try {
      const rules = await readPrivacyRules(this.#path);
      const text = textOf(rules);
      if (text !== this.#used) {
        const set = ruleSetOf(rules);
        this.step.use(set);
        this.#metrics.use({ rules: rules.rules, set });
        this.#used = text;
        this.#metrics.reloaded("used");
        this.#say(rules, "read again");
      }
      this.#fault = undefined;
      this.#metrics.isUpToDate = true;
      health.degrade(topic, undefined);
    } catch (error) {
      const fault = (error as Error).message;
      if (fault === this.#fault) {
        return;
      }
      this.#fault = fault;
      this.#metrics.reloaded("refused");
      this.#metrics.isUpToDate = false;
      log.error(`privacy rules stay as they were: ${fault}`);
      health.degrade(topic, `privacy rules stay as they were: ${fault}`);
    }
  }

  #say({ rules }: PrivacyRules, how: string): void {
    const dryRun = rules.filter((rule) => rule["dry-run"]).map(({ name }) => name);
    this.#context.log.info(
      { rules: rules.map(({ name }) => name), ...(dryRun.length > 0 && { dryRun }) },
      `privacy rules ${how} from ${this.#path}`,
    );
  }
}

/** A text that is equal for equal rules. It stays in memory, and has the key in it. */
function textOf({ rules, hashKey }: PrivacyRules): string {
  return JSON.stringify([rules, hashKey?.toString("latin1")]);
}
