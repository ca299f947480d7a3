import type { Command, OptionDefinition } from "../command.ts";

/** The name that scripts complete. */
export const programName = "server";

/** An option as scripts want it. */
export interface CompletedOption {
  /** `--config`, then `-c` where there is one. */
  readonly names: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly completes: "file" | "folder" | undefined;
}

/** The words that may follow a command. */
export interface CompletedCommand {
  /** "" is the program itself. */
  readonly name: string;
  /** Words that name commands below it. */
  readonly below: readonly { readonly word: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
  readonly choices: readonly string[];
  readonly completes: "file" | "folder" | undefined;
}

const helpOption: CompletedOption = {
  names: ["--help", "-h"],
  about: "Print help",
  takesValue: false,
  choices: [],
  completes: undefined,
};

function completedOption([name, option]: [string, OptionDefinition]): CompletedOption {
  return {
    names: [`--${name}`, ...(option.short === undefined ? [] : [`-${option.short}`])],
    about: option.about,
    takesValue: option.kind !== "switch",
    choices: option.choices ?? [],
    completes: option.completes,
  };
}

/** Every command with the words that can follow it, the program itself first. Groups such as `storage` are commands too. */
export function completionTree(commands: readonly Command[]): CompletedCommand[] {
  const names = commands.map(({ name }) => name);
  const groups = new Set(names.filter((name) => name.includes(" ")).map((name) => name.split(" ")[0] ?? ""));
  const all = ["", ...new Set([...names, ...groups])];
  const aboutOf = (name: string): string =>
    commands.find((each) => each.name === name)?.summary ??
    commands
      .filter((each) => each.name.startsWith(`${name} `))
      .map(({ summary }) => summary)
      .join("; ");
  return all.map((name) => {
    const command = commands.find((each) => each.name === name);
    const depth = name === "" ? 1 : 2;
    const below = all
      .filter(
        (each) =>
          each !== "" && each.split(" ").length === depth && (name === "" || each.startsWith(`${name} `)),
      )
      .map((each) => ({ word: each.split(" ").at(-1) ?? "", about: aboutOf(each) }));
    const operands = command?.name === "help" ? { choices: names } : command?.operands;
    return {
      name,
      below,
      options: [...Object.entries(command?.options ?? {}).map(completedOption), helpOption],
      choices: operands?.choices ?? [],
      completes: command?.operands?.completes,
    };
  });
}
