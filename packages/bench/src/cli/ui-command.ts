import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { machineLine } from "../report/notes.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import { renderUiFigures } from "./ui-figures.ts";

const options = {
  rounds: { value: "N", text: "medians of so many", fallback: "3" },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

/** Measures the app; it stands with the app's tests, whose fixtures it shows. */
const program = new URL("../../../tracing-ui/test/measure-ui.ts", import.meta.url);

/** `bench ui`. @returns the exit code: 0 also for figures over their limit, which are marked */
export async function uiCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(`Measures the tracing UI in headless Chromium: loading, traces of 10,000 and 100,000 spans, a graph.
CPU is that of the page's main thread; on a busy machine it says more than the clock does.

Usage: npm run bench -- ui [options]

${optionHelp(options)}`);
    return 0;
  }
  const [loadBefore = 0] = loadavg();
  const rounds = String(args.integer("rounds", 1, 99));
  const child = spawn(process.execPath, [fileURLToPath(program), rounds], {
    stdio: ["ignore", "pipe", "inherit"],
    signal,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) {
    return 1;
  }
  const [loadAfter = 0] = loadavg();
  process.stdout.write(
    renderUiFigures(text) + machineLine({ cores: availableParallelism(), loadBefore, loadAfter }),
  );
  return 0;
}
