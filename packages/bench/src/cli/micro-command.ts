import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "./arguments.ts";

const folder = fileURLToPath(new URL("../micro/", import.meta.url));

/**
 * `bench micro [NAME [ARGUMENTS…]]`: each micro bench in a process of its own, one after another.
 * @returns the exit code
 */
export async function microCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const known = readdirSync(folder)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -".ts".length));
  if (argv.includes("--help")) {
    process.stdout.write(`Runs hot paths alone.

Usage: npm run bench -- micro [${known.join("|")}] [seconds]
`);
    return 0;
  }
  const [name, ...rest] = argv;
  if (name !== undefined && !known.includes(name)) {
    throw new UsageError(`"${name}" is not a micro bench: ${known.join(", ")}`);
  }
  for (const bench of name === undefined ? known : [name]) {
    process.stdout.write(`${bench}\n`);
    const child = spawn(process.execPath, [`${folder}${bench}.ts`, ...rest], { stdio: "inherit", signal });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) return 1;
  }
  return 0;
}
