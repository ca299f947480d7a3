import { parseArgs } from "node:util";
import { StartError } from "lifecycle/errors";
import type { Command, OptionDefinition } from "./command.ts";
import { didYouMean } from "./nearest-word.ts";

/** A parsed command line, before defaults. */
export interface CommandLine {
  /** True when `--help` is among the options. */
  readonly help: boolean;
  /** Texts of the given options, each in the order of the command line. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  /** Words that are not options. */
  readonly operands: readonly string[];
}

/** An error with a hint to the help. */
function fault(command: Command, message: string): StartError {
  return new StartError(`${command.name}: ${message} (see server ${command.name} --help)`);
}

/** Parses a command line. @param args words after the command's name. @throws StartError */
export function readCommandLine(command: Command, args: readonly string[]): CommandLine {
  const entries = Object.entries(command.options);
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      help: { type: "boolean", short: "h" },
      ...Object.fromEntries(
        entries.map(([name, { kind, short }]) => [
          name,
          { type: kind === "switch" ? "boolean" : "string", ...(short === undefined ? {} : { short }) },
        ]),
      ),
    },
  });
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  let help = false;
  for (const token of tokens) {
    if (token.kind === "positional") {
      operands.push(token.value);
    } else if (token.kind === "option") {
      const option = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
      if (token.name === "help") {
        help = true;
      } else if (option === undefined) {
        const names = entries.map(([name]) => `--${name}`);
        throw fault(command, `unknown option ${token.rawName}${didYouMean(token.rawName, names)}`);
      } else {
        const value = token.value ?? (option.kind === "switch" ? "true" : undefined);
        if (value === undefined) {
          throw fault(command, `${token.rawName} needs a value <${option.value}>`);
        }
        // `-c=file` is also accepted, because it works in Caddy.
        const text = token.rawName.startsWith("--") || !token.inlineValue ? value : value.replace(/^=/, "");
        given.set(token.name, [...(given.get(token.name) ?? []), text]);
      }
    }
  }
  const { operands: expected } = command;
  const most = expected?.most ?? 0;
  if (!help && operands.length > most) {
    const limit = most === 0 ? "takes options only" : `takes ${expected?.usage} only`;
    throw fault(command, `unexpected "${operands[most]}": it ${limit}`);
  }
  return { help, given, operands };
}

/** The value of a switch; undefined for an invalid text. */
function readSwitch(text: string): boolean | undefined {
  return ["true", "1"].includes(text) ? true : ["false", "0"].includes(text) ? false : undefined;
}

/**
 * Converts the texts of an option. The last text counts, except for lists.
 * @throws Error with the expected form
 */
function readValue(option: OptionDefinition, texts: readonly string[]): unknown {
  const last = texts.at(-1) ?? "";
  switch (option.kind) {
    case "switch": {
      const value = readSwitch(last);
      if (value === undefined) {
        throw new Error("true or false");
      }
      return value;
    }
    case "number": {
      const [least, most] = option.range ?? [0, Number.MAX_SAFE_INTEGER];
      const value = Number(last);
      if (!/^-?\d+$/.test(last) || value < least || value > most) {
        const range = option.range === undefined ? "" : ` from ${least} to ${most}`;
        throw new Error(`a whole number${range}`);
      }
      return value;
    }
    case "list": {
      const words = texts.flatMap((text) => text.split(",")).filter((word) => word !== "");
      if (option.choices !== undefined && !words.every((word) => option.choices?.includes(word))) {
        throw new Error(`some of ${option.choices.join(", ")}`);
      }
      return words;
    }
    case "lines":
      return texts;
    case "text":
      if (option.choices !== undefined && !option.choices.includes(last)) {
        throw new Error(`one of ${option.choices.join(", ")}`);
      }
      return last;
  }
}

/** The value of an option that was not given. */
function defaultOf(option: OptionDefinition): unknown {
  const empty = { switch: false, text: "", number: undefined, list: [], lines: [] }[option.kind];
  return option.default ?? empty;
}

/**
 * The value of every option: from the command line, or else from the environment, or else its default.
 * @throws StartError naming the option or the variable
 */
export function readOptions(
  command: Command,
  { given }: CommandLine,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(command.options)) {
    const variable = option.environment === undefined ? undefined : environment[option.environment];
    const texts = given.get(name) ?? (variable ? [variable] : undefined);
    try {
      values[name] = texts === undefined ? defaultOf(option) : readValue(option, texts);
    } catch (error) {
      const source = given.has(name) ? `--${name}` : option.environment;
      const expected = error instanceof Error ? error.message : String(error);
      throw fault(command, `${source}: expected ${expected}, not "${texts?.at(-1)}"`);
    }
  }
  return values;
}
