import { availableParallelism, loadavg } from "node:os";
import { openClickHouseStore } from "storage/clickhouse";
import { machineLine } from "../report/notes.ts";
import { askInPairs, type PairReport } from "../store/ask-in-pairs.ts";
import { countingQuestions, eachOfOtherTime } from "../store/counting-questions.ts";
import { startFilledSystem } from "../store/filled-system.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import { folderOf, spansOfHour, spansOfHourSpecs } from "./store-sizes.ts";

const specs = {
  folder: { value: "PATH", text: "Data of the store; kept, and filled only when it is empty." },
  hours: { value: "N", text: "Hours of spans, of which the last has just ended.", fallback: "1" },
  ...spansOfHourSpecs,
  rounds: { value: "N", text: "Rounds of each kind.", fallback: "12" },
  requests: { value: "N", text: "Requests of a round, with exact counts and without.", fallback: "10" },
  first: { text: "Ask about another time with each request, as if for the first time." },
  only: { value: "TEXT", text: "Only the questions whose names contain it.", fallback: "" },
  json: { text: "Print the reports as JSON." },
  help: { text: "Print this." },
} satisfies OptionSpecs;

/**
 * `bench copies`: sends the same questions with and without exact counts, alternating, to measure the cost of counting
 * spans that are stored twice only once.
 * @returns the exit code
 */
export async function copiesCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const options = new Arguments(specs, argv);
  if (options.has("help")) {
    process.stdout.write(`Asks a store with exact counts and without, in turns: processor time of the store and of the process that asks.

Usage: npm run bench -- copies --folder PATH [options]

${optionHelp(specs)}`);
    return 0;
  }
  const folder = folderOf(options);
  const rounds = options.integer("rounds", 1, 10_000);
  const requests = options.integer("requests", 1, 10_000);
  const only = options.text("only");
  const size = { hours: options.integer("hours", 1, 10_000), spansPerHour: spansOfHour(options) };
  const system = await startFilledSystem(folder, size, signal);
  const { storeUrl, endUnixMs, storePid } = system;
  const questionsOf = options.has("first") ? eachOfOtherTime : countingQuestions;
  const stores = [true, false].map((exactCounts) => openClickHouseStore({ urls: [storeUrl], exactCounts }));
  try {
    const [exact = [], plain = []] = stores.map((store) =>
      questionsOf(store, endUnixMs).filter(({ name }) => name.includes(only)),
    );
    const [loadBefore = 0] = loadavg();
    const isJson = options.has("json");
    const onReport = (report: PairReport) => void (isJson || process.stdout.write(line(report)));
    if (!isJson) {
      process.stdout.write(head);
    }
    const reports = await askInPairs(storePid, [exact, plain], { rounds, requests, onReport });
    if (isJson) {
      process.stdout.write(`${JSON.stringify(reports, undefined, 2)}\n`);
    }
    const [loadAfter = 0] = loadavg();
    process.stderr.write(machineLine({ cores: availableParallelism(), loadBefore, loadAfter }));
    return 0;
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await system.stop();
  }
}

const nameWidth = 48;
const head = row("", ["results", "exact CPU ms", "plain CPU ms", "ratio", "middle half"]);

function line({ name, results, cpuMs, otherCpuMs, ratio, middle }: PairReport): string {
  return row(name, [
    ...[String(results), cpuMs.toFixed(1), otherCpuMs.toFixed(1), ratio.toFixed(2)],
    middle.map((one) => one.toFixed(2)).join(" to "),
  ]);
}

function row(name: string, cells: readonly string[]): string {
  return `${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(15)).join("")}\n`;
}
