import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { commandHelp, commandsBelow, programHelp } from "../cli/help-text.ts";
import { readCommandLine, readOptions } from "../cli/read-options.ts";
import { commandNames, loadAllCommands, loadCommand } from "./command-list.ts";

const commands = await loadAllCommands();

/** The words of a line as a shell splits it, up to the first sign of another command. */
function shellWords(line: string): string[] {
  const words = line.match(/"[^"]*"|'[^']*'|[^\s|&<>()]+|[|&<>()]/g) ?? [];
  const end = words.findIndex((word) => /^[|&<>()]$/.test(word));
  return (end === -1 ? words : words.slice(0, end)).map((word) => word.replace(/^["']|["']$/g, ""));
}

test("names are those of the list", () => {
  expect(commands.map(({ name }) => name)).toEqual(commandNames);
});

describe.each(commands.map((command) => [command.name, command] as const))("%s", (name, command) => {
  test("one letter is one option, and what takes a value says which", () => {
    const options = Object.values(command.options);
    const letters = options.flatMap(({ short }) => short ?? []);
    expect(new Set(letters).size).toBe(letters.length);
    expect(letters).not.toContain("h");
    expect(options.filter(({ kind, value }) => (kind === "switch") !== (value === undefined))).toEqual([]);
    expect(options.filter(({ about }) => about.endsWith("."))).toEqual([]);
  });

  test("its examples are command lines that it takes", async () => {
    for (const { line } of command.examples) {
      const calls = line
        .split(/[|&]|<\(/)
        .map((part) => shellWords(part.trim()))
        .filter(([program]) => program === "server");
      expect(calls.length).toBeGreaterThan(0);
      for (const [, ...words] of calls) {
        const two = await loadCommand(words.slice(0, 2).join(" "));
        const found = two ?? (await loadCommand(words[0] ?? ""));
        expect(found, line).toBeDefined();
        if (found !== undefined) {
          const args = words.slice(found.name.split(" ").length);
          expect(() => readOptions(found, readCommandLine(found, args), {}), line).not.toThrow();
        }
      }
    }
  });

  test("help names all of it, in lines that fit", () => {
    const text = commandHelp(command, commandsBelow(commands, name));
    for (const option of Object.keys(command.options)) {
      expect(text).toContain(`--${option}`);
    }
    expect(text.split("\n").filter((line) => line.length > 110)).toEqual([]);
  });
});

test("docs/command-line.md names every command", async () => {
  const page = await readFile(new URL("../../../../docs/command-line.md", import.meta.url), "utf8");
  expect(commandNames.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the help of the program names every command", () => {
  const text = programHelp(commands);
  for (const name of commandNames) {
    expect(text).toMatch(new RegExp(`^  ${name}  `, "m"));
  }
});
