import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { machineLine } from "../report/notes.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import { renderUiFigures } from "./ui-figures.ts";

const options = {
  rounds: { value: "N", text: "medians of so many", fallback: "3" },
  beside: {
    value: "BUILD",
    text: "measure the trace page of a built jaeger-ui, in this folder, beside ours",
  },
  help: { text: "print this" },
} as const satisfies OptionSpecs;

/** The measuring programs; they are next to the app's tests, because they use the same fixtures. */
const folder = new URL("../../../tracing-ui/test/", import.meta.url);

/** `bench ui`. @returns the exit code: 0 even when a result exceeds its limit, which the table marks */
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
  const beside = args.text("beside");
  const program = beside === "" ? "measure-ui.ts" : "measure-beside.ts";
  const words = beside === "" ? [rounds] : [path.resolve(beside), rounds];
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, folder)), ...words], {
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
