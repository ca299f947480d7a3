import type { Readable, Writable } from "node:stream";
import type { QueryClient } from "./query-client.ts";

export interface CommandOption {
  /** A string takes the next argument as its value, or the text after `=`. A boolean takes none. */
  readonly type: "string" | "boolean";
  /** One letter: `n` lets users write `-n 5`. */
  readonly short?: string;
  /**
   * True: the option may be repeated, and `list` returns all values. False: the last value counts. False by
   * default.
   */
  readonly multiple?: boolean;
  /** The value's name in `--help`; absent for a boolean. */
  readonly placeholder?: string;
  /** Default value, which `--help` prints. */
  readonly default?: string;
  /** Allowed values. Any other value ends the program with exit code 2. */
  readonly choices?: readonly string[];
  /** One sentence or two for `--help`. */
  readonly meaning: string;
}

/** Options by name, without dashes. */
export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** Input and outputs of a command. */
export interface Streams {
  readonly input: Readable;
  /** Receives only answers, because another program may read them through a pipe. */
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Warnings, progress and failures. */
  readonly errors: Writable & { readonly isTTY?: boolean };
}

/** Operands, options and streams of one run of a command. */
export interface CommandContext extends Streams {
  /** Variables such as TRACING_URL and TRACING_TENANT. Options on the command line take precedence. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Arguments that are not options, in their order. `main` has checked their number, but not their form. */
  readonly operands: readonly string[];
  /** Values of the command's options and of the common options, including defaults. */
  readonly values: OptionValues;
  /** Client of tracing-query at `--url`. Creating the client opens no connection. */
  readonly client: QueryClient;
  /** Aborted by SIGINT and SIGTERM. Then the program ends with exit code 130. */
  readonly signal: AbortSignal;
}

export interface Command {
  /** The first argument, such as `search`. */
  readonly name: string;
  /** Operands in the usage line: `<trace id>`, `[query]`; "" for none. */
  readonly operands: string;
  /** Minimum and maximum number of operands. Any other number ends the program with exit code 2. */
  readonly operandCounts: readonly [least: number, most: number];
  /** Purpose of the command in one sentence, for `--help`. */
  readonly meaning: string;
  /** Options of this command. The options of `common-options.ts` are added. */
  readonly options: CommandOptions;
  /** Whole command lines for `--help`; each can be pasted into a shell. */
  readonly examples: readonly string[];
  /**
   * Runs the command: writes answers to `output`, and warnings to `errors`.
   * @returns the exit code: 0 for success, 1 when a part failed
   * @throws CliError when the whole command failed
   */
  run(context: CommandContext): Promise<number>;
}

type Value = string | boolean | readonly (string | boolean)[] | undefined;

/**
 * Values of options, by the type that a command declares for each. A method for the wrong type returns its empty
 * value, so a command never checks types.
 */
export class OptionValues {
  readonly #values: Readonly<Record<string, Value>>;

  constructor(values: Readonly<Record<string, Value>>) {
    this.#values = values;
  }

  /** Value of a string option; "" when the option was not given. */
  text(name: string): string {
    const value = this.#values[name];
    return typeof value === "string" ? value : "";
  }

  /** True when the boolean option was given. */
  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** All values of an option with `multiple`; [] when the option was not given. */
  list(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  }
}
