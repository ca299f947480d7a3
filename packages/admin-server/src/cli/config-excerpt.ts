import { stripVTControlCharacters, styleText } from "node:util";
import type { TextPlace } from "server-core/errors";
import { readRegularFileSync } from "server-core/files/read-regular-file";

/** Maximum number of characters of the shown line; longer lines are cut around the fault. */
const maxColumns = 120;
/** Size limit in bytes of a file from which the line is read. */
const maxFileBytes = 16 * 1024 * 1024;

/** The text without control characters, which could move the cursor; a tab becomes a blank. */
function visible(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\t", " ")).replace(/\p{Cc}/gu, "?");
}

/** Position of the fault in its line: the column if known, or else the word, or else the first character. */
function rangeIn(line: string, { column, word = "" }: TextPlace): [start: number, length: number] {
  if (column !== undefined) {
    return [Math.min(column - 1, line.length), 1];
  }
  const found = word === "" || word.includes("\n") ? -1 : line.lastIndexOf(word);
  return found === -1 ? [Math.max(0, line.search(/\S/)), 1] : [found, word.length];
}

/** @returns undefined for an unreadable file */
function readNamed(file: string | undefined): string | undefined {
  try {
    return readRegularFileSync(file ?? "", maxFileBytes).toString("utf8");
  } catch {
    return undefined;
  }
}

/**
 * The faulty line of a configuration, with a caret below the fault. A tab is shown as one blank. For `respnod ok` in
 * line 3:
 *
 *     3 |   respnod ok
 *       |   ^^^^^^^
 * @param text text of the config; undefined reads the file that the place names
 * @returns "" for a missing line
 */
export function configExcerpt(
  text: string | undefined,
  place: TextPlace,
  stream: NodeJS.WritableStream,
): string {
  const line = (text ?? readNamed(place.file))?.split("\n", place.line)[place.line - 1]?.replace(/\r$/, "");
  if (line === undefined) {
    return "";
  }
  const [start, length] = rangeIn(line, place);
  const from = Math.max(0, Math.min(start - maxColumns / 2, line.length - maxColumns));
  const shown = visible(line.slice(from, from + maxColumns));
  const marked = "^".repeat(Math.max(1, Math.min(length, maxColumns - (start - from))));
  const number = `${place.line}`;
  const paint = (format: "dim" | "red", content: string) => styleText(format, content, { stream });
  return [
    `${paint("dim", `  ${number} | `)}${shown}`,
    `${paint("dim", `  ${" ".repeat(number.length)} | `)}${" ".repeat(start - from)}${paint("red", marked)}`,
    "",
  ].join("\n");
}
