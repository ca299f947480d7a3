import type { Readable, Writable } from "node:stream";
import type { QueryClient } from "./query-client.ts";

/** An option of a command. */
export interface CommandOption {
  /** Which of both decides whether a value follows. */
  readonly type: "string" | "boolean";
  /** A letter. */
  readonly short?: string;
  /** Whether it may be given again. */
  readonly multiple?: boolean;
  /** The value's name in `--help`; absent for a boolean. */
  readonly placeholder?: string;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** One sentence or two for `--help`. */
  readonly meaning: string;
}

/** Options by name, without dashes. */
export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** Where a command reads and writes. */
export interface Streams {
  readonly input: Readable;
  /** Answers, and nothing else: it may be a pipe. */
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Warnings, progress and failures. */
  readonly errors: Writable & { readonly isTTY?: boolean };
}

/** Operands, options and streams of one run of a command. */
export interface CommandContext extends Streams {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly operands: readonly string[];
  readonly values: OptionValues;
  readonly client: QueryClient;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** A command of the program. */
export interface Command {
  readonly name: string;
  /** As in a usage line: `<trace id>`, `[query]`; "" for none. */
  readonly operands: string;
  /** Fewest and most operands. */
  readonly operandCounts: readonly [least: number, most: number];
  /** One sentence. */
  readonly meaning: string;
  /** Its own options; those of `common-options.ts` are taken too. */
  readonly options: CommandOptions;
  /** Whole command lines. */
  readonly examples: readonly string[];
  /** @returns the exit code. @throws CliError */
  run(context: CommandContext): Promise<number>;
}

type Value = string | boolean | readonly (string | boolean)[] | undefined;

/** Values of options, by the type that a command knows each to have. */
export class OptionValues {
  readonly #values: Readonly<Record<string, Value>>;

  constructor(values: Readonly<Record<string, Value>>) {
    this.#values = values;
  }

  /** "" when it was not given. */
  text(name: string): string {
    const value = this.#values[name];
    return typeof value === "string" ? value : "";
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  list(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  }
}
