import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);
const recorded = new URL("../../recorded-flags.json", import.meta.url);

/** Default values by flag, as the program prints them; "" when it prints none. */
export type ModelFlags = Readonly<Record<string, string>>;

/** The recorded output of the public model's programs, by program. */
export function readRecordedFlags(): Readonly<Record<string, ModelFlags>> {
  return JSON.parse(readFileSync(recorded, "utf8")) as Record<string, ModelFlags>;
}

/**
 * Asks a program of the public model for its flags, including the flags of the memory store and of adaptive sampling.
 */
export async function askModelFlags(program: string): Promise<ModelFlags> {
  const { stdout } = await run(program, ["help"], {
    env: { ...process.env, SPAN_STORAGE_TYPE: "memory", SAMPLING_CONFIG_TYPE: "adaptive" },
  });
  return parseModelFlags(stdout);
}

/** Reads the table of flags that Go's pflag prints. */
export function parseModelFlags(text: string): ModelFlags {
  const flags: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const [, flag, rest = ""] = /^\s+(?:-\w, )?--([\w.-]+)(.*)$/.exec(line) ?? [];
    if (flag === undefined || flag === "help") {
      continue;
    }
    const [, shown = ""] = /\(default (.*?)\)\s*$/.exec(rest) ?? [];
    flags[flag] = shown.replace(/^"(.*)"$/, "$1");
  }
  return flags;
}

/** An option of our program, from `--help`. */
export interface OwnOption {
  readonly fallback: string;
  /** Environment variable of the option. */
  readonly variable: string;
}

/** Parses the options in `--help`. */
export function parseOwnOptions(text: string): ReadonlyMap<string, OwnOption> {
  const options = new Map<string, OwnOption>();
  for (const [, name = "", about = ""] of text.matchAll(/^ {2}--([\w.-]+)[^\n]*\n {8}([^\n]*)$/gm)) {
    const [, fallback = "", variable = ""] = /(?:\(default (.*?)\) )?\[(\w+)\]$/.exec(about) ?? [];
    options.set(name, { fallback, variable });
  }
  return options;
}

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/**
 * Makes different spellings of the same default equal: `4MiB` and `4194304`, `1m0s` and `1m`, no default of a switch
 * and `false`.
 */
export function plainDefault(text: string): string {
  if (["", "false", "0", "[]"].includes(text)) {
    return "";
  }
  const [, count, unit = ""] = /^(\d+)([KMG]iB)$/.exec(text) ?? [];
  if (count !== undefined) {
    return String(Number(count) * (units[unit] ?? 1));
  }
  if (/^[\d.]+(?:e-?\d+)?$/.test(text)) {
    return String(Number(text));
  }
  return text.replace(/(?<=[hm])0s$/, "").replace(/(?<=h)0m$/, "");
}
