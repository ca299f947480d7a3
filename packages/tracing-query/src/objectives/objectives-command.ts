import { createLogger, type ProcessCommand, parseOptions, StartError, tenancyOptions } from "lifecycle";
import { openStore, storeOptions } from "trace-store";
import { z } from "zod";
import { budgetText } from "./alert-message.ts";
import { burnRules, canFire } from "./burn-rates.ts";
import type { Objective, ObjectivesFile } from "./objective.ts";
import type { ReadCounts } from "./objective-board.ts";
import { ObjectiveCounts } from "./objective-counts.ts";
import { ObjectiveStatus } from "./objective-status.ts";
import { parseObjectives, readObjectivesText } from "./objectives-file.ts";
import { prometheusRules } from "./prometheus-rules.ts";
import { storeCounts } from "./read-store-counts.ts";

// Options of the command: the file, and the store that is queried.
const commandOptions = z.object({
  file: z.string().default("").describe("File of objectives, YAML or JSON."),
  rules: z
    .boolean()
    .default(false)
    .describe("Print the objectives as a rules file of Prometheus; no store is asked."),
  ...storeOptions("Where spans rest."),
  ...tenancyOptions(),
});

/** The parsed file. @throws StartError that names the file and its first fault */
async function fileAt(path: string): Promise<ObjectivesFile> {
  if (path === "") {
    throw new StartError("objectives: name the file with --file");
  }
  try {
    return parseObjectives(await readObjectivesText(path));
  } catch (error) {
    throw new StartError(`objectives: ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Counts the whole window of an objective. @throws the store's error */
export async function countedStatus(
  objective: Objective,
  read: ReadCounts,
  nowMs: number,
): Promise<ObjectiveStatus> {
  const counts = new ObjectiveCounts(objective.windowMs);
  const { signal } = new AbortController();
  const first = counts.nextNew(nowMs);
  if (first !== undefined) {
    counts.addNew(first, await read(objective, first, signal));
  }
  for (let time = counts.nextOld(); time !== undefined; time = counts.nextOld()) {
    const begunMs = performance.now();
    counts.addOld(time, await read(objective, time, signal), performance.now() - begunMs);
  }
  const status = new ObjectiveStatus(objective, counts);
  status.decide(nowMs);
  return status;
}

/**
 * One line of the report, and remarks about the objective.
 *
 * ```
 * met       checkout  99.9 %  12 of 48000 spans bad  75 % of the budget is left
 * empty     search  99 %  0 of 0 spans bad  –
 *           no span matches: look at service, operations, kinds and condition
 * ```
 */
export function statusLines({ objective, sum, budgetLeft, state }: ObjectiveStatus): string[] {
  const { name, target, latencyMs } = objective;
  const spans = `${Math.round(sum.bad)} of ${Math.round(sum.total)} spans bad`;
  const left = budgetLeft === undefined ? "–" : budgetText(budgetLeft);
  const lines = [`${state.padEnd(8)}  ${name}  ${target} %  ${spans}  ${left}`];
  if (sum.total === 0) {
    lines.push("          no span matches: look at service, operations, kinds and condition");
  }
  if (latencyMs !== undefined && sum.total > 0 && sum.bad >= sum.total) {
    lines.push("          every span is bad: is the latency in the right unit?");
  }
  const never = burnRules.filter((rule) => !canFire(rule, target)).map(({ factor }) => factor);
  if (never.length > 0) {
    lines.push(`          burn rates of ${never.join(" and ")} cannot be reached with this target`);
  }
  return lines;
}

/**
 * `tracing-query objectives`: checks a file, counts its objectives once, or prints rules for Prometheus. The command
 * ends with 0, or with 1 when an objective could not be counted.
 */
export const objectivesCommand: ProcessCommand = {
  name: "objectives",
  meaning:
    "Check a file of objectives against the store, or print rules for Prometheus: objectives --file FILE [--rules] [--clickhouse.… of the store].",
  options: commandOptions,
  async run(args) {
    const { options } = parseOptions(commandOptions, { arguments: args, environment: {} });
    const { objectives } = await fileAt(options.file);
    if (options.rules) {
      process.stdout.write(prometheusRules(objectives));
      return 0;
    }
    const log = createLogger({ name: "objectives", level: "error", encoding: "json" });
    const store = openStore(options, log);
    const read = storeCounts(store);
    let isCounted = true;
    try {
      for (const objective of objectives) {
        try {
          const status = await countedStatus(objective, read, Date.now());
          process.stdout.write(`${statusLines(status).join("\n")}\n`);
        } catch (error) {
          isCounted = false;
          process.stdout.write(`failed    ${objective.name}  ${(error as Error).message}\n`);
        }
      }
    } finally {
      await store.close();
    }
    return isCounted ? 0 : 1;
  },
};
