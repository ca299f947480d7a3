import { parseArgs } from "node:util";
import { parseGoDuration } from "lifecycle";

/** One option of a command. */
export interface OptionSpec {
  /** Placeholder of the value in the help; absent for a switch. */
  readonly value?: string;
  readonly text: string;
  /** Value of the option when it is not given. */
  readonly fallback?: string;
  /** True when the option may be given several times. */
  readonly multiple?: boolean;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** A wrong command line; the message names the wrong part and the expected form. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The options of one command line, by name. */
export class Arguments<Name extends string> {
  readonly #values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

  /** @throws UsageError for an option that is not in `specs`, an option without its value, or a stray word */
  constructor(specs: Readonly<Record<Name, OptionSpec>>, args: readonly string[]) {
    const options = Object.fromEntries(
      Object.entries<OptionSpec>(specs).map(([name, { value, fallback, multiple }]) => [
        name,
        {
          type: value === undefined ? ("boolean" as const) : ("string" as const),
          ...(fallback === undefined ? {} : { default: fallback }),
          ...(multiple === true ? { multiple } : {}),
        },
      ]),
    );
    try {
      this.#values = parseArgs({ args: [...args], options }).values;
    } catch (error) {
      throw new UsageError((error as Error).message, { cause: error });
    }
  }

  has(name: Name): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== false;
  }

  /** The text of an option; "" when it is absent and has no default. */
  text(name: Name): string {
    const value = this.#values[name];
    return typeof value === "string" ? value : "";
  }

  list(name: Name): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** @throws UsageError when the value is not a whole number within the limits */
  integer(name: Name, least: number, most: number): number {
    const text = this.text(name);
    const value = Number(text.replaceAll("_", ""));
    if (text === "" || !Number.isInteger(value) || value < least || value > most) {
      throw new UsageError(`--${name} "${text}" is not a whole number from ${least} to ${most}`);
    }
    return value;
  }

  /** @returns milliseconds @throws UsageError when the value is not a duration above zero */
  durationMs(name: Name): number {
    const ms = parseGoDuration(this.text(name));
    if (ms === undefined || ms <= 0) {
      throw new UsageError(`--${name} "${this.text(name)}" is not a duration such as 20s or 1m30s`);
    }
    return ms;
  }

  /** @throws UsageError when it is not one of the choices */
  choice<Choice extends string>(name: Name, choices: readonly Choice[]): Choice {
    const found = choices.find((choice) => choice === this.text(name));
    if (found === undefined) {
      throw new UsageError(`--${name} "${this.text(name)}" is not one of ${choices.join(", ")}`);
    }
    return found;
  }
}

/** Writes the lines that explain the options in `--help`. */
export function optionHelp(specs: OptionSpecs): string {
  const rows = Object.entries(specs).map(([name, { value, text, fallback, multiple }]) => {
    const given = value === undefined ? `--${name}` : `--${name} ${value}`;
    const notes = [
      ...(fallback === undefined ? [] : [`default ${fallback}`]),
      ...(multiple === true ? ["may be repeated"] : []),
    ];
    return [given, notes.length === 0 ? text : `${text} (${notes.join("; ")})`] as const;
  });
  const width = Math.max(...rows.map(([given]) => given.length));
  return rows.map(([given, text]) => `  ${given.padEnd(width)}  ${text}\n`).join("");
}
