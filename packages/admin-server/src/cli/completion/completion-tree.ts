import type { Command, OptionDefinition } from "../command.ts";

/** The program name that scripts complete. */
export const programName = "server";

/** An option in the form that scripts need. */
export interface CompletedOption {
  /** The long name with dashes, such as `--config`, and the short name if there is one, such as `-c`. */
  readonly names: readonly string[];
  readonly about: string;
  /** False for switches. */
  readonly takesValue: boolean;
  /** Values to complete; empty when unknown. */
  readonly choices: readonly string[];
  /** Kind of path to complete; undefined for a value that is no path. */
  readonly completes: "file" | "folder" | undefined;
}

/** The words that may follow a command. */
export interface CompletedCommand {
  /** Name of the command; "" is the program itself. */
  readonly name: string;
  /** Words of its subcommands. */
  readonly below: readonly { readonly word: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
  readonly choices: readonly string[];
  readonly completes: "file" | "folder" | undefined;
}

/** The option that every command has. */
const helpOption: CompletedOption = {
  names: ["--help", "-h"],
  about: "Print help",
  takesValue: false,
  choices: [],
  completes: undefined,
};

/** An option of a command in the form for scripts. */
function completedOption([name, option]: [string, OptionDefinition]): CompletedOption {
  return {
    names: [`--${name}`, ...(option.short === undefined ? [] : [`-${option.short}`])],
    about: option.about,
    takesValue: option.kind !== "switch",
    choices: option.choices ?? [],
    completes: option.completes,
  };
}

/**
 * All commands with the words that may follow them; the program itself is first. A group such as `storage` counts as a
 * command. `storage export` gives three entries: the program with the word `storage`, `storage` with the word `export`,
 * and `storage export` with its options.
 */
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
