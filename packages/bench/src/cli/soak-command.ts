import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSoak } from "../soak/run-soak.ts";
import { describeSoak, drawSoak, soakProblems } from "../soak/soak-report.ts";
import { startSoakSystem } from "../soak/soak-system.ts";
import { spanClock } from "../soak/span-clock.ts";
import { stopAll } from "../suite/system.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";

const realDayMs = 86_400_000;
const options = {
  minutes: { value: "N", text: "how long", fallback: "60" },
  rate: { value: "N", text: "spans a second", fallback: "8000" },
  sample: { value: "TIME", text: "how often everything is looked at", fallback: "5s" },
  "search-pause": { value: "TIME", text: "between two searches", fallback: "500ms" },
  day: {
    value: "TIME",
    text: "a day of spans passes in so long, so that retention has days to drop; without: real time",
  },
  "max-bytes": {
    value: "BYTES",
    text: "largest size of the storage, above which it drops its oldest days: 3GiB",
  },
  svg: { value: "FILE", text: "write a plot there" },
  json: { value: "FILE", text: "write every sample there" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

const help = `Loads all five processes for a long time, with searches going on, and tells what grows.

Usage: npm run soak -- [options]

${optionHelp(options)}
Nine tenths of the spans go to the collector over gRPC, a tenth over HTTP through the web server, as do the searches; fifty
packets a second go to the agent. Growth is the slope over the last half of the run. Data goes to the folder of TMPDIR, 45 bytes
a span without --max-bytes, and is removed at the end.
Exit code 1 when memory or open files of a process, the journal, or a storage with --max-bytes grow on, a search failed, or an
acknowledged span is missing.
`;

/** `bench soak`. @returns the exit code */
export async function soakCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(help);
    return 0;
  }
  const plan = {
    durationMs: args.integer("minutes", 1, 100_000) * 60_000,
    rate: args.integer("rate", 100, 1e9),
    sampleMs: args.durationMs("sample"),
    searchPauseMs: args.durationMs("search-pause"),
    limitsDisk: args.has("max-bytes"),
  };
  const clock = spanClock(
    Date.now() + plan.durationMs,
    args.has("day") ? realDayMs / args.durationMs("day") : 1,
  );
  const storageArgs = args.has("max-bytes")
    ? ["--storage.max-bytes", args.text("max-bytes"), "--storage.retention-interval", "15s"]
    : [];
  const folder = await mkdtemp(join(tmpdir(), "soak-"));
  try {
    const system = await startSoakSystem(folder, signal, {
      storageArgs,
      clock: args.has("day") ? clock : undefined,
    });
    try {
      const progress = (line: string) => void process.stderr.write(`${line}\n`);
      const result = await runSoak(system, folder, { ...plan, clock }, progress, signal);
      if (args.has("svg")) {
        const title = `${args.text("minutes")} min at ${plan.rate.toLocaleString("en")} spans a second`;
        await writeFile(args.text("svg"), drawSoak(result, title));
      }
      if (args.has("json")) {
        await writeFile(args.text("json"), `${JSON.stringify(result)}\n`);
      }
      process.stdout.write(describeSoak(result));
      return soakProblems(result).length === 0 ? 0 : 1;
    } finally {
      await stopAll(system.processes);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
