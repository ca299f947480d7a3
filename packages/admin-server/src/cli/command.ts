/** The kind of an option's value. Lists may be given several times. */
export type OptionKind =
  | "switch" // nothing, or `=true` and `=false`
  | "text"
  | "number" // a whole number
  | "list" // words between commas
  | "lines"; // one value each time, commas included

/** One option of a command, without its dashes: that is its key. */
export interface OptionDefinition {
  readonly kind: OptionKind;
  /** One letter. */
  readonly short?: string;
  /** The purpose, as a sentence without a final dot. */
  readonly about: string;
  /** The name of the value in texts: `file` becomes `<file>`. Required for all options but switches. */
  readonly value?: string;
  /**
   * Default value. The default of a list is empty; the default of a text "".
   */
  readonly default?: string | number;
  /** How texts name a default that is found out when the command runs. */
  readonly defaultText?: string;
  /** The only values there are; another one ends the program with 1. */
  readonly choices?: readonly string[];
  /** The kind of value that a shell completes; absent: nothing. */
  readonly completes?: "file" | "folder";
  /** Variable that gives the value where the command line does not. */
  readonly environment?: string;
  /** Smallest and greatest number. */
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

/** The values of a command's options, every one of them there. */
export type OptionValues<Options extends OptionDefinitions> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]>;
};

/** Words of a command line that are no options. */
export interface OperandDefinition {
  /** Operands in the usage line: `[file]`. */
  readonly usage: string;
  /** Maximum number of operands; more are an error. */
  readonly most: number;
  readonly choices?: readonly string[];
  readonly completes?: "file" | "folder";
}

/** A command line with what it does, for help and manual pages. */
export interface CommandExample {
  readonly line: string;
  readonly about: string;
}

/** All commands, for help and completion. */
export interface CommandSet {
  /** Names of all commands, known without loading them. */
  readonly names: readonly string[];
  /** Loads them. */
  all(): Promise<Command[]>;
}

/** A command as its file describes it: what help, completion and manual pages are made from. */
export interface CommandSource<Options extends OptionDefinitions> {
  /** The words after the program's name; `storage export` is below `storage`. */
  readonly name: string;
  /** One sentence for lists of commands. */
  readonly summary: string;
  /** Paragraphs of the command's help, after the summary. */
  readonly description?: readonly string[];
  readonly options: Options;
  readonly operands?: OperandDefinition;
  readonly examples: readonly [CommandExample, ...CommandExample[]];
  /**
   * Imports what is heavy itself, so that help and completion do not.
   * @returns the exit code. @throws StartError, ServerError for faults that the user must mend
   */
  run(options: OptionValues<Options>, operands: readonly string[], commands: CommandSet): Promise<number>;
}

/** A command as lists hold it: `run` takes what its options were read to. */
export interface Command extends Omit<CommandSource<OptionDefinitions>, "run"> {
  run(
    options: Readonly<Record<string, unknown>>,
    operands: readonly string[],
    commands: CommandSet,
  ): Promise<number>;
}

/** Declares a command. Nothing registers by being imported: the one list is `commands/command-list.ts`. */
export function defineCommand<const Options extends OptionDefinitions>(
  source: CommandSource<Options>,
): Command {
  return {
    ...source,
    run: (options, operands, commands) => source.run(options as OptionValues<Options>, operands, commands),
  };
}
