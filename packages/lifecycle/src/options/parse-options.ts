import type { z } from "zod";
import { StartError } from "../errors.ts";
import { type OptionField, optionFields } from "./option-field.ts";
import { readConfigFile } from "./read-config-file.ts";

/** The source of an option's value, from strongest to weakest. */
export type OptionSource = "flag" | "environment" | "file" | "default";

/** An option's value as it was given. */
export interface OptionOrigin {
  /** The text of the value, or of the default. */
  readonly text: string;
  readonly source: OptionSource;
  /** True when the text must not be shown. */
  readonly isSecret: boolean;
}

/** The sources of options. A flag may also name a config file, which is a further source. */
export interface OptionInput {
  /** Arguments after the command. */
  readonly arguments: readonly string[];
  /** Environment variables. Options use the names in {@link OptionField.environmentName}. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Alternative spellings: a prefix of option names, and the prefix that it stands for, such as
   * `processor.jaeger-compact` for `processor.tracing-compact`. They may be used in flags, environment and file.
   */
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Options whose values were checked against the schema. */
export interface ParsedOptions<Options> {
  /** The value of each field. An option that is not given has its default. */
  readonly options: Options;
  /** For each option, its text and the source of this text; used by `print-config`. */
  readonly origins: ReadonlyMap<string, OptionOrigin>;
}

function nearest(name: string, fields: readonly OptionField[]): string {
  const last = name.split(".").at(-1) ?? name;
  const found = fields.find((field) => field.name.endsWith(last) || field.name.includes(name));
  return found === undefined ? "see --help" : `did you mean --${found.name}?`;
}

function canonical(name: string, aliases: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(aliases)) {
    if (name === from || name.startsWith(`${from}.`)) {
      return to + name.slice(from.length);
    }
  }
  return name;
}

function readFlags(input: OptionInput, fields: readonly OptionField[]): Map<string, string> {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const values = new Map<string, string>();
  const set = (field: OptionField, text: string) => {
    const before = field.isRepeatable ? values.get(field.name) : undefined;
    values.set(field.name, before === undefined ? text : `${before}\n${text}`);
  };
  const args = input.arguments;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const match = /^--?([^=\s]+)(?:=([\s\S]*))?$/.exec(arg);
    if (match === null) {
      throw new StartError(`unexpected argument "${arg}": options are written --name value, see --help`);
    }
    const name = canonical(match[1] ?? "", input.aliases ?? {});
    const field = byName.get(name);
    if (field === undefined) {
      throw new StartError(`unknown option --${name}: ${nearest(name, fields)}`);
    }
    if (match[2] !== undefined) {
      set(field, match[2]);
    } else if (field.kind === "boolean") {
      values.set(name, "true");
    } else {
      const next = args[++index];
      if (next === undefined) {
        throw new StartError(`option --${name} needs a value`);
      }
      set(field, next);
    }
  }
  return values;
}

function toInput(field: OptionField, text: string): unknown {
  if (field.kind === "boolean") {
    if (/^(1|t|true)$/i.test(text)) {
      return true;
    }
    if (/^(0|f|false)$/i.test(text)) {
      return false;
    }
  } else if (field.kind === "number" && text.trim() !== "") {
    const number = Number(text);
    return Number.isNaN(number) ? text : number;
  }
  return text;
}

function environmentValue(field: OptionField, input: OptionInput): string | undefined {
  const direct = input.environment[field.environmentName];
  if (direct !== undefined) {
    return direct;
  }
  for (const [from, to] of Object.entries(input.aliases ?? {})) {
    if (field.name.startsWith(`${to}.`)) {
      const other = (from + field.name.slice(to.length)).toUpperCase().replace(/[^A-Z0-9]/g, "_");
      const value = input.environment[other];
      if (value !== undefined) {
        return value;
      }
    }
  }
  return undefined;
}

/**
 * Reads options from flags, environment, `--config-file` and defaults. The first of these sources with a value is used.
 * The schema checks the values. Flags are `--name value`, `--name=value`, and `--name` alone for booleans.
 * @throws StartError with the option, its source and the fault
 */
export function parseOptions<Schema extends z.ZodObject>(
  schema: Schema,
  input: OptionInput,
): ParsedOptions<z.infer<Schema>> {
  const fields = optionFields(schema);
  const flags = readFlags(input, fields);
  const configPath = flags.get("config-file") ?? input.environment.CONFIG_FILE;
  const file = new Map<string, string>();
  if (configPath !== undefined && configPath !== "") {
    for (const [name, text] of readConfigFile(configPath)) {
      file.set(canonical(name, input.aliases ?? {}), text);
    }
    const known = new Set(fields.map((field) => field.name));
    for (const name of file.keys()) {
      if (!known.has(name)) {
        throw new StartError(
          `--config-file: ${configPath}: unknown option "${name}": ${nearest(name, fields)}`,
        );
      }
    }
  }

  const origins = new Map<string, OptionOrigin>();
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { isSecret } = field;
    const found = (
      [
        [flags.get(field.name), "flag"],
        [environmentValue(field, input), "environment"],
        [file.get(field.name), "file"],
      ] as const
    ).find(([text]) => text !== undefined);
    if (found?.[0] !== undefined) {
      origins.set(field.name, { text: found[0], source: found[1], isSecret });
      values[field.name] = toInput(field, found[0]);
    } else {
      origins.set(field.name, { text: field.defaultText ?? "", source: "default", isSecret });
    }
  }

  const result = schema.safeParse(values);
  if (!result.success) {
    const issue = result.error.issues[0];
    const name = String(issue?.path[0] ?? "");
    const source = origins.get(name)?.source ?? "default";
    const where =
      source === "environment"
        ? `${name} (environment variable ${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")})`
        : name;
    throw new StartError(`option --${where}: ${issue?.message ?? "is not valid"}`, { cause: result.error });
  }
  return { options: result.data as z.infer<Schema>, origins };
}
