import { execFile } from "node:child_process";
import { join } from "node:path";
import { testedProgram } from "lifecycle/testing";
import { ask } from "./running-storage.ts";

export const program = testedProgram(join(import.meta.dirname, "../bin/tracing-storage.ts"));

/** Runs a command of the program to its end. */
export async function run(...args: string[]): Promise<{ exitCode: number; output: string; errors: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, output, errors) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), output, errors });
    });
  });
}

/** Makes the tables by the statements that the program prints. @param url of a running storage */
export async function makeTables(url: string): Promise<void> {
  const { output } = await run("schema");
  for (const statement of output.split(";\n")) {
    if (statement.trim() !== "") {
      await ask(url, statement);
    }
  }
}
