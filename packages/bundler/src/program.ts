import { readFileSync } from "node:fs";
import { z } from "zod";

export { knownSinceMajor, oldestNodeMajor } from "./node-versions.ts";

/** The member `program` of a process's package.json: how Node runs the process. No other file repeats it. */
export const programSchema = z.strictObject({
  /** Options of Node and V8, before the program. The built file starts itself with them. */
  nodeOptions: z.array(z.string().startsWith("--")).default([]),
  /**
   * Variables that are read before the program's first line, such as settings of glibc's allocator. Variables
   * set outside take precedence.
   */
  environment: z.record(z.string(), z.string()).default({}),
  /** Packages with code for the platform: dependencies, which stay in node_modules and load with their first use. */
  nativePackages: z.array(z.string()).default([]),
  /** First arguments of the commands that run for long. Others end soon, and start with Node's own options. */
  longCommands: z.array(z.string()).default(["run"]),
});

/** How Node is to run a process. */
export type Program = z.infer<typeof programSchema>;

const manifestSchema = z.object({ program: programSchema.optional() });

/** Reads how Node is to run a process. @param packageFolder ends in a slash. @throws what reading and zod throw */
export function readProgram(packageFolder: URL): Program {
  const text = readFileSync(new URL("package.json", packageFolder), "utf8");
  return manifestSchema.parse(JSON.parse(text)).program ?? programSchema.parse({});
}
