import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { liveColumn, liveProblems } from "../live/live-figures.ts";
import { type LivePlan, type LiveReport, runLive } from "../live/run-live.ts";
import { keepOption, type LandedTable, renderBesideLanded } from "../report/landed-run.ts";
import { printReport } from "../report/print-report.ts";
import type { RatioColumn } from "../report/table.ts";
import { startOurSystem } from "../suite/our-system.ts";
import { startPeerSystem } from "../suite/peer-system.ts";
import { type System, stopAll } from "../suite/system.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";

const options = {
  minutes: { value: "N", text: "how long spans come in", fallback: "10" },
  seconds: { value: "N", text: "instead of --minutes" },
  rate: { value: "N", text: "spans a second", fallback: "50000" },
  quiet: { value: "TIME", text: "how long the same is asked after that", fallback: "60s" },
  pause: { value: "TIME", text: "between two searches of a kind", fallback: "1s" },
  peer: { value: "PATH", text: "Jaeger 1.62's all-in-one: the same on it with Badger, and ratios" },
  ...keepOption,
  json: { text: "print the reports as JSON" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

const help = `Searches while spans come in: starts our processes, sends at a steady rate, and asks for the newest all the time.

Usage: npm run bench -- live [options]

${optionHelp(options)}
Newest of a service, by operation, by tag, by duration, and a trace by its id: each once in a pause. Beside them a trace that
was just acknowledged is looked for until it is found. Then sending ends, the store merges until it is calm, and the same is
asked again: "quiet". "With ingest : quiet" is what the spans that come in cost a search.
The load generator also sends the questions and reads the answers; its processor time has both.
Exit code 1 when a search failed, an acknowledged span is missing, or a fresh trace is not found within 30 s.
`;

/** `bench live`. @returns the exit code */
export async function liveCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(help);
    return 0;
  }
  if (args.has("peer") && !existsSync(args.text("peer"))) {
    throw new UsageError(`--peer "${args.text("peer")}" does not exist`);
  }
  const seconds = args.has("seconds")
    ? args.integer("seconds", 1, 1_000_000)
    : args.integer("minutes", 1, 10_000) * 60;
  const plan: LivePlan = {
    rate: args.integer("rate", 100, 1e9),
    liveMs: seconds * 1_000,
    quietMs: args.durationMs("quiet"),
    pauseMs: args.durationMs("pause"),
    storedStallMs: 30_000,
  };
  const ours = await measure("ours", startOurSystem, plan, signal);
  const peer = args.has("peer")
    ? await measure(
        "peer",
        (folder, stop) => startPeerSystem(args.text("peer"), folder, stop),
        { ...plan, storedStallMs: 5_000 },
        signal,
      )
    : undefined;
  const kept: LandedTable = {
    command: "live",
    options: `${plan.rate} a second for ${seconds} s, quiet ${args.text("quiet")}, pause ${args.text("pause")}`,
    ours: 1,
    keep: args.has("keep"),
  };
  printReport({ text: describe(ours, peer, kept), json: { ours, peer } }, args.has("json"));
  return liveProblems(ours).length === 0 ? 0 : 1;
}

async function measure(
  title: string,
  start: (folder: string, signal: AbortSignal) => Promise<System>,
  plan: LivePlan,
  signal: AbortSignal,
): Promise<LiveReport> {
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  const folder = await mkdtemp(join(tmpdir(), "bench-live-"));
  try {
    progress(`${title}: starting`);
    const system = await start(folder, signal);
    try {
      return await runLive(title, system, plan, progress, signal);
    } catch (error) {
      throw system.processes.find(({ death }) => death)?.death ?? error;
    } finally {
      await stopAll(system.processes);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function describe(ours: LiveReport, peer: LiveReport | undefined, kept: LandedTable): string {
  const our = liveColumn(ours);
  const columns = [our];
  const ratios: RatioColumn[] = [];
  if (peer !== undefined) {
    const theirs = liveColumn(peer);
    columns.push(theirs);
    ratios.push({ title: "ours : peer", ours: our, peer: theirs });
  }
  const { live, quiet } = ours.loadAverage;
  const problems = liveProblems(ours);
  return [
    `${renderBesideLanded(kept, columns, ratios)}\n`,
    `load average ${live.toFixed(1)} with ingest, ${quiet.toFixed(1)} quiet; Node ${process.versions.node}\n`,
    problems.length === 0 ? "nothing is wrong\n" : `${problems.join("\n")}\n`,
  ].join("");
}
