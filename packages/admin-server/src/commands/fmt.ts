import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { messageOf } from "server-core/errors";
import { defineCommand } from "../cli/command.ts";

/** Reads a file or standard input. @throws StartError for an unreadable file, and for a text above the limit */
async function readInput(path: string, mostBytes: number): Promise<string> {
  try {
    const input = path === "-" ? await text(process.stdin) : await readFile(path, "utf8");
    if (input.length > mostBytes) {
      throw new Error(`${input.length} characters are over the limit of ${mostBytes}`);
    }
    return input;
  } catch (error) {
    throw new StartError(`fmt: cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * `server fmt`. Exit codes:
 *
 * - 0: the file was already formatted, or was overwritten, or came from standard input
 * - 1: the file was not formatted, or could not be read
 *
 * Source: Caddy 2.11, observed behavior
 */
export const fmt = defineCommand({
  name: "fmt",
  summary: "Print a Serverfile in its usual form",
  description: [
    "Exit code 1 when the file was not in that form and was not overwritten, so that it can be checked in continuous integration. Formatting what was formatted changes nothing.",
  ],
  options: {
    config: {
      kind: "text",
      short: "c",
      value: "file",
      completes: "file",
      about: "The file, as the operand says it too",
    },
    overwrite: {
      kind: "switch",
      short: "w",
      about: "Writes it back; standard input is printed all the same",
    },
    diff: { kind: "switch", short: "d", about: "Prints what changes, line by line; no patch" },
  },
  operands: { usage: "[file]", most: 1, completes: "file" },
  examples: [
    { line: "server fmt --overwrite", about: "Formats the Serverfile of the working folder." },
    { line: "server fmt --diff conf/site.serverfile", about: "Shows what would change." },
    { line: "server fmt - < Serverfile", about: "Reads standard input." },
  ],
  async run({ config, overwrite, diff }, [operand]) {
    if (operand !== undefined && config !== "") {
      throw new StartError(`fmt takes one file, not both ${config} and ${operand}`);
    }
    const { findDefaultConfig } = await import("../cli/read-config.ts");
    const { maxAdaptedBytes } = await import("server-core/adapters/config-adapter");
    const { formatServerfile } = await import("serverfile/format/format-serverfile");
    const path = operand ?? (config || (findDefaultConfig() ?? "Serverfile"));
    const input = await readInput(path, maxAdaptedBytes);
    const output = formatServerfile(input);
    if (overwrite && path !== "-") {
      if (output !== input) {
        await writeFile(path, output);
      }
      return exitCodes.success;
    }
    if (diff) {
      const { lineDifference } = await import("serverfile/format/line-difference");
      process.stdout.write(lineDifference(input, output));
    } else {
      process.stdout.write(output);
    }
    const { formattingWarning } = await import("serverfile/format/formatting-warning");
    const warning = formattingWarning(path, input);
    if (warning === undefined || path === "-") {
      return exitCodes.success;
    }
    process.stderr.write(`server: ${path}:${warning.line}: ${warning.message}\n`);
    return exitCodes.startFailed;
  },
});
