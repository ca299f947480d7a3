/** The kind of an option's value. List options are repeatable. */
export type OptionKind =
  | "switch" // no value, or `=true` or `=false`
  | "text"
  | "number" // a whole number
  | "list" // words separated by commas
  | "lines"; // one value for each use of the option; commas are part of the value

/** One option of a command. The key of its definition is its name without dashes. */
export interface OptionDefinition {
  readonly kind: OptionKind;
  /** Short name of one letter. */
  readonly short?: string;
  /** The purpose, as a sentence without a final dot. */
  readonly about: string;
  /** The name of the value in help texts: `file` becomes `<file>`. Required for all options except switches. */
  readonly value?: string;
  /**
   * Default value. The default of a list is empty; the default of a text "".
   */
  readonly default?: string | number;
  /** Text for a default that is computed at run time. */
  readonly defaultText?: string;
  /** The allowed values; for any other value the program ends with 1. */
  readonly choices?: readonly string[];
  /** The kind of value for shell completion; absent: no completion. */
  readonly completes?: "file" | "folder";
  /** Environment variable that provides the value when the command line does not. */
  readonly environment?: string;
  /** Minimum and maximum of a number. */
  readonly range?: readonly [least: number, most: number];
}

/** Options by name, without dashes. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** The type of an option's value, by its kind: `run` gets numbers as numbers. */
type OptionValue<Option extends OptionDefinition> = Option["kind"] extends "switch"
  ? boolean
  : Option["kind"] extends "text"
    ? string
    : Option["kind"] extends "number"
      ? Option extends { readonly default: number }
        ? number
        : number | undefined
      : readonly string[];

export type OptionValues<Options extends OptionDefinitions> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]>;
};

/** Words of a command line that are not options. */
export interface OperandDefinition {
  /** Operands in the usage line: `[file]`. */
  readonly usage: string;
  /** Maximum number of operands; more are an error. */
  readonly most: number;
  readonly choices?: readonly string[];
  readonly completes?: "file" | "folder";
}

/** An example of a command line with its effect, for help texts and manual pages. */
export interface CommandExample {
  readonly line: string;
  readonly about: string;
}

/** All commands, for help and completion. */
export interface CommandSet {
  /** Names of all commands; the commands need not be loaded for them. */
  readonly names: readonly string[];
  all(): Promise<Command[]>;
}

/** The definition of a command in its file, which is also the source of help, completion and manual pages. */
export interface CommandSource<Options extends OptionDefinitions> {
  /** The words after the program's name. `storage export` is a subcommand of `storage`. */
  readonly name: string;
  /** One sentence for lists of commands. */
  readonly summary: string;
  /** Paragraphs of the command's help, after the summary. */
  readonly description?: readonly string[];
  readonly options: Options;
  readonly operands?: OperandDefinition;
  readonly examples: readonly [CommandExample, ...CommandExample[]];
  /**
   * Runs the command; it imports large files itself, so that help and completion need not load them.
   * @returns the exit code. @throws StartError, ServerError for faults that the user must correct
   */
  run(options: OptionValues<Options>, operands: readonly string[], commands: CommandSet): Promise<number>;
}

/** A command in lists: `run` gets the parsed options. */
export interface Command extends Omit<CommandSource<OptionDefinitions>, "run"> {
  run(
    options: Readonly<Record<string, unknown>>,
    operands: readonly string[],
    commands: CommandSet,
  ): Promise<number>;
}

/** Declares a command. The command must also be in the list in `commands/command-list.ts`. */
export function defineCommand<const Options extends OptionDefinitions>(
  source: CommandSource<Options>,
): Command {
  return {
    ...source,
    run: (options, operands, commands) => source.run(options as OptionValues<Options>, operands, commands),
  };
}
