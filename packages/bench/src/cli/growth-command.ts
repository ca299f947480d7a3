import { availableParallelism, loadavg } from "node:os";
import { machineLine } from "../report/notes.ts";
import { askGrowth, type GrowthReport, type GrowthStore } from "../store/ask-growth.ts";
import { type FilledSystem, filledDatabase } from "../store/filled-system.ts";
import { storeQuestions } from "../store/store-questions.ts";
import { storeSql } from "../store/store-sql.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import {
  folderOf,
  hoursOf,
  spansOfHour,
  spansOfHourSpecs,
  startStoreOfHours,
  storeSizeSpecs,
} from "./store-sizes.ts";

const specs = {
  ...storeSizeSpecs,
  hours: { ...storeSizeSpecs.hours, fallback: "1,10,50" },
  ...spansOfHourSpecs,
  times: { value: "N", text: "Requests of each kind, to each store.", fallback: "40" },
  json: { text: "Print the reports as JSON." },
  help: { text: "Print this." },
} satisfies OptionSpecs;

/**
 * `bench growth`: sends the same questions to merged stores of several sizes, alternating, to measure the cost that
 * grows with the stored data.
 * @returns the exit code
 */
export async function growthCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const options = new Arguments(specs, argv);
  if (options.has("help")) {
    process.stdout.write(`Asks stores of several sizes the same, in turns: what grows with all that is stored.

Usage: npm run bench -- growth --folder PATH [options]

${optionHelp(specs)}`);
    return 0;
  }
  const folder = folderOf(options);
  const sizes = hoursOf(options.text("hours"));
  const times = options.integer("times", 1, 100_000);
  const spansPerHour = spansOfHour(options);
  const systems: FilledSystem[] = [];
  try {
    const stores: GrowthStore[] = [];
    for (const hours of sizes) {
      process.stderr.write(`store of ${hours} hours\n`);
      const system = await startStoreOfHours(folder, hours, signal, spansPerHour);
      systems.push(system);
      const { store, storeUrl: url, endUnixMs } = system;
      await storeSql(
        url,
        `OPTIMIZE TABLE ${filledDatabase}.spans FINAL SETTINGS optimize_skip_merged_partitions = 1`,
      );
      stores.push({ hours, url, questions: await storeQuestions(store, url, filledDatabase, endUnixMs) });
    }
    const [loadBefore = 0] = loadavg();
    const reports = await askGrowth(stores, times);
    const [loadAfter = 0] = loadavg();
    if (options.has("json")) {
      process.stdout.write(`${JSON.stringify(reports, undefined, 2)}\n`);
    } else {
      process.stdout.write(growthTable(sizes, reports));
      process.stdout.write(machineLine({ cores: availableParallelism(), loadBefore, loadAfter }));
    }
    return 0;
  } finally {
    for (const system of systems) {
      await system.stop();
    }
  }
}

function growthTable(sizes: readonly number[], reports: readonly GrowthReport[]): string {
  const titles = [
    ...sizes.map((hours) => `${hours} h: p50 (min) ms`),
    ...sizes.slice(1).map((hours) => `${hours} h to ${sizes[0]} h`),
    ...sizes.map((hours) => `${hours} h: rows`),
    "results",
  ];
  const lines = reports.map(({ name, figures }) => [
    name,
    ...figures.map(({ wallMs, wallMinMs }) => `${wallMs.toFixed(1)} (${wallMinMs.toFixed(1)})`),
    ...figures.slice(1).map(({ wallMs }) => (wallMs / (figures[0]?.wallMs ?? 0)).toFixed(2)),
    ...figures.map(({ rows }) => String(rows)),
    figures.map(({ results }) => results).join(", "),
  ]);
  const rows = [["", ...titles], ...lines];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column + 1]?.length ?? 0)));
  return rows
    .map(
      ([name = "", ...cells]) =>
        name.padEnd(36) + cells.map((cell, i) => `  ${cell.padStart(widths[i] ?? 0)}`).join(""),
    )
    .map((line) => `${line}\n`)
    .join("");
}
