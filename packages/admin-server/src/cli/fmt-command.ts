import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { maxAdaptedBytes } from "../core/adapters/config-adapter.ts";
import { messageOf } from "../core/errors.ts";
import { formatServerfile } from "../serverfile/format/format-serverfile.ts";
import { formattingWarning } from "../serverfile/format/formatting-warning.ts";
import { lineDifference } from "../serverfile/format/line-difference.ts";

interface FmtArguments {
  readonly path: string;
  readonly overwrite: boolean;
  readonly diff: boolean;
}

function readArguments(args: readonly string[]): FmtArguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: "string", short: "c" },
        overwrite: { type: "boolean", short: "w", default: false },
        diff: { type: "boolean", short: "d", default: false },
      },
    });
    const [path = values.config ?? "Serverfile", ...more] = positionals;
    if (more.length > 0) {
      throw new StartError("fmt takes one file");
    }
    return { path, overwrite: values.overwrite, diff: values.diff };
  } catch (error) {
    throw new StartError(`fmt: ${messageOf(error)}`, { cause: error });
  }
}

async function readInput(path: string): Promise<string> {
  try {
    const input = path === "-" ? await text(process.stdin) : await readFile(path, "utf8");
    if (input.length > maxAdaptedBytes) {
      throw new Error(`${input.length} characters are over the limit of ${maxAdaptedBytes}`);
    }
    return input;
  } catch (error) {
    throw new StartError(`fmt: cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * `server fmt [path]`: prints a serverfile in its usual form, or with `--diff` what changes, or with `--overwrite`
 * writes it back. @returns the exit code: 1 when the text was not formatted and was not overwritten
 */
export async function fmtCommand(args: readonly string[]): Promise<number> {
  const { path, overwrite, diff } = readArguments(args);
  const input = await readInput(path);
  const output = formatServerfile(input);
  if (overwrite && path !== "-") {
    if (output !== input) {
      await writeFile(path, output);
    }
    return exitCodes.success;
  }
  process.stdout.write(diff ? lineDifference(input, output) : output);
  const warning = formattingWarning(path, input);
  if (warning === undefined || path === "-") {
    return exitCodes.success;
  }
  process.stderr.write(`server: ${path}:${warning.line}: ${warning.message}\n`);
  return exitCodes.startFailed;
}
