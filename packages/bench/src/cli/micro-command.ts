import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { UsageError } from "./arguments.ts";

/** All micro benches; each is a separate program, whose argument is the number of seconds to measure. */
const benches = new Map([
  ["otlp-transcode", new URL("../micro/otlp-transcode.ts", import.meta.url)],
  ["otlp-json-transcode", new URL("../micro/otlp-json-transcode.ts", import.meta.url)],
  ["otlp-encode", new URL("../micro/otlp-encode.ts", import.meta.url)],
  ["api-v2-transcode", new URL("../micro/api-v2-transcode.ts", import.meta.url)],
  ["row-steps", new URL("../micro/row-steps.ts", import.meta.url)],
  ["thrift-read", new URL("../micro/thrift-read.ts", import.meta.url)],
  ["zipkin-transcode", new URL("../micro/zipkin-transcode.ts", import.meta.url)],
]);

/**
 * `bench micro [NAME [ARGUMENTS…]]`: runs micro benches one after another, each in a separate process.
 * @returns the exit code
 */
export async function microCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const known = [...benches.keys()];
  if (argv.includes("--help")) {
    process.stdout.write(`Runs hot paths alone.

Usage: npm run bench -- micro [${known.join("|")}] [seconds]
`);
    return 0;
  }
  const [name, ...rest] = argv;
  if (name !== undefined && !benches.has(name)) {
    throw new UsageError(`"${name}" is not a micro bench: ${known.join(", ")}`);
  }
  for (const [bench, program] of benches) {
    if (name !== undefined && name !== bench) {
      continue;
    }
    process.stdout.write(`${bench}\n`);
    const child = spawn(process.execPath, [fileURLToPath(program), ...rest], { stdio: "inherit", signal });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) {
      return 1;
    }
  }
  return 0;
}
