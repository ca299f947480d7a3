import { CliError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { wantsTable } from "../common-options.ts";
import { shareText } from "../output/figures.ts";
import { tableText } from "../output/table.ts";
import { write, writeJsonLines } from "../output/write.ts";
import { countOf } from "../time-range.ts";

/** An objective of `GET /api/objectives`. JSON output has all its fields; the table needs these. */
interface Objective {
  readonly name: string;
  readonly service: string;
  /** Per cent of spans that must be good. */
  readonly target: number;
  readonly windowHours: number;
  /** `missed`, `burning`, `failed`, `counting`, `met` or `empty`. */
  readonly state: string;
  readonly total: number;
  readonly bad: number;
  /** Share of the error budget that is left; below 0 when it is overspent; null without spans. */
  readonly budgetLeft: number | null;
  readonly burnRates: readonly { readonly window: string; readonly rate: number | null }[];
}

interface ObjectivesAnswer {
  /** False: tracing-query has no file of objectives. */
  readonly isOn: boolean;
  readonly matched: number;
  /** Reason why the current file is not in use. */
  readonly fileError?: string;
  readonly objectives: readonly Objective[];
}

const columns = [
  { title: "STATE" },
  { title: "OBJECTIVE" },
  { title: "SERVICE" },
  { title: "TARGET", align: "right" },
  { title: "WINDOW", align: "right" },
  { title: "BAD", align: "right" },
  { title: "BUDGET LEFT", align: "right" },
  { title: "BURN RATES" },
] as const;

/** Objectives in one request. The API refuses larger pages, so a larger `--limit` needs several requests. */
const page = 200;

function rowOf(objective: Objective): string[] {
  const { state, name, service, target, windowHours, total, bad, budgetLeft, burnRates } = objective;
  const burning = burnRates.filter(({ rate }) => rate !== null && rate > 0);
  return [
    ...[state, name, service, `${target} %`],
    windowHours % 24 === 0 ? `${windowHours / 24}d` : `${windowHours}h`,
    shareText(bad, total),
    budgetLeft === null ? "-" : `${(100 * budgetLeft).toFixed(1)} %`,
    burning.map(({ window, rate }) => `${window} ${(rate ?? 0).toFixed(1)}`).join(", "),
  ];
}

/**
 * `tracing slo`: one line for each objective. With `--check`, exit code 1 means that a listed objective is missed,
 * burning or failed.
 */
export const sloCommand: Command = {
  name: "slo",
  operands: "[part of a name]",
  operandCounts: [0, 1],
  meaning: "List objectives with their error budgets and burn rates; the worst first.",
  options: {
    state: {
      type: "string",
      placeholder: "state",
      choices: ["missed", "burning", "failed", "counting", "met", "empty"],
      meaning: "Only objectives in this state.",
    },
    order: {
      type: "string",
      placeholder: "order",
      default: "state",
      choices: ["state", "name", "budget"],
      meaning: "What comes first.",
    },
    limit: { type: "string", short: "n", placeholder: "count", default: "50", meaning: "Most objectives." },
    check: {
      type: "boolean",
      meaning: "Exit with 1 when a listed objective is missed, burning or failed; for scripts.",
    },
  },
  examples: [
    "tracing slo",
    "tracing slo checkout --state missed",
    "tracing slo --check --limit 5000 > /dev/null",
  ],
  async run(context) {
    const { client, errors, operands, output, values } = context;
    const limit = countOf(values, "limit", 100_000);
    const state = values.text("state");
    const objectives: Objective[] = [];
    let answer: ObjectivesAnswer;
    do {
      answer = await client.json<ObjectivesAnswer>("/api/objectives", {
        contains: operands[0],
        state: state === "" ? undefined : state,
        order: values.text("order"),
        limit: Math.min(page, limit - objectives.length),
        offset: objectives.length,
      });
      if (!answer.isOn) {
        throw new CliError("tracing-query has no objectives: start it with --query.objectives-file", 1);
      }
      objectives.push(...answer.objectives);
    } while (answer.objectives.length > 0 && objectives.length < Math.min(answer.matched, limit));
    if (wantsTable(values, context)) {
      const rows = objectives.map(rowOf);
      await write(output, rows.length === 0 ? "" : tableText(columns, rows, output.columns));
    } else {
      await writeJsonLines(output, objectives);
    }
    if (answer.fileError !== undefined) {
      await write(
        errors,
        `warning: the file of objectives is not in use as it is now: ${answer.fileError}\n`,
      );
    }
    if (objectives.length < answer.matched) {
      await write(errors, `${answer.matched - objectives.length} more; --limit shows them\n`);
    } else if (objectives.length === 0) {
      await write(errors, "no objective matches\n");
    }
    const isBad = objectives.some((one) => ["missed", "burning", "failed"].includes(one.state));
    return values.flag("check") && isBad ? 1 : 0;
  },
};
