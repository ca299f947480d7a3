// Every command of every program explains itself: the commands are read from the help of the program, so that a new
// command is tested too.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { testedProgram } from "lifecycle/testing";
import { describe, expect, test } from "vitest";

const packages = join(import.meta.dirname, "../..");

interface Answer {
  readonly code: number | string;
  readonly output: string;
  readonly errors: string;
}

function run(program: string, ...args: readonly string[]): Promise<Answer> {
  const path = testedProgram(join(packages, program));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], (error, output, errors) =>
      resolve({ code: error?.code ?? 0, output, errors }),
    );
  });
}

/** Lines such as `  file-server export-template  Print …`, between "Commands:" and the next blank line. */
function commandsOf(help: string): string[][] {
  const [, rest = ""] = help.split("\nCommands:\n");
  const [list = ""] = rest.split("\n\n");
  return list.split("\n").flatMap((line) => {
    const name = /^ {2}([a-z][a-z-]*(?: [a-z][a-z-]*)*) +[A-Z]/.exec(line)?.[1];
    return name === undefined ? [] : [name.split(" ")];
  });
}

const programs = [
  { program: "tracing-storage/bin/tracing-storage.ts", least: 13, own: ["import-tempo", "delete"] },
  { program: "tracing-collector/bin/tracing-collector.ts", least: 11, own: ["migrate-config", "quarantine"] },
  { program: "tracing-query/bin/tracing-query.ts", least: 10, own: ["mcp", "objectives"] },
  { program: "tracing-agent/bin/tracing-agent.ts", least: 8, own: ["status"] },
  { program: "tracing-cli/bin/tracing.ts", least: 10, own: ["search", "export"] },
  { program: "admin-server/bin/server.ts", least: 25, own: ["file-server export-template", "respond"] },
];

describe.each(programs)("$program", ({ program, least, own }) => {
  test("prints what each of its commands does with --help, and does nothing else", async () => {
    const { code, output } = await run(program, "--help");
    expect(code).toBe(0);
    const commands = commandsOf(output);
    expect(commands.length).toBeGreaterThanOrEqual(least);
    expect(commands.map((words) => words.join(" "))).toEqual(expect.arrayContaining(own));
    await Promise.all(
      commands.map(async (words) => {
        const answer = await run(program, ...words, "--help");
        expect.soft({ words, ...answer, output: "" }).toEqual({ words, code: 0, errors: "", output: "" });
        expect.soft(answer.output).toMatch(/\bUsage:/);
      }),
    );
  }, 300_000);

  test("gives a command's own options, not those of the program, and the same to -h", async () => {
    for (const name of own.filter((one) => one !== "status")) {
      const words = name.split(" ");
      const { output } = await run(program, ...words, "--help");
      expect(output).toContain(name);
      expect(output).not.toMatch(/^Commands:$/m);
      expect(await run(program, ...words, "-h")).toMatchObject({ code: 0, output });
    }
  }, 300_000);
});
