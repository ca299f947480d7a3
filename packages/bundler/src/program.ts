import { readFileSync } from "node:fs";
import { z } from "zod";

export { knownSinceMajor, oldestNodeMajor } from "./node-versions.ts";

/** The member `program` of a process's package.json: how Node runs the process. No other file repeats it. */
export const programSchema = z.strictObject({
  /** Options of Node and V8, before the program. The built file restarts itself with these options. */
  nodeOptions: z.array(z.string().startsWith("--")).default([]),
  /**
   * Variables that are read before the program's first line, such as settings of glibc's allocator. Variables
   * set outside take precedence.
   */
  environment: z.record(z.string(), z.string()).default({}),
  /** Dependencies with native code. They stay in node_modules, and load with their first use. */
  nativePackages: z.array(z.string()).default([]),
  /** First arguments of long-running commands. Other commands end soon, and run with Node's default options. */
  longCommands: z.array(z.string()).default(["run"]),
});

/** Options and environment with which Node runs a process. */
export type Program = z.infer<typeof programSchema>;

const manifestSchema = z.object({ program: programSchema.optional() });

/**
 * Reads the member `program` of a package.json.
 * @param packageFolder ends in a slash.
 * @throws errors of reading and of zod
 */
export function readProgram(packageFolder: URL): Program {
  const text = readFileSync(new URL("package.json", packageFolder), "utf8");
  return manifestSchema.parse(JSON.parse(text)).program ?? programSchema.parse({});
}
