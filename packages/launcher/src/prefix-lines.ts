import type { Readable } from "node:stream";

/** Maximum number of characters of an unfinished line; a longer one is split into several lines. */
const maxLineLength = 16 * 1024;

/**
 * Calls `onLine` with each line of a stream, without the line break. An unfinished line of more than 16,384 characters
 * is split, so that a process that never ends a line cannot fill the memory.
 */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      onLine(line.replace(/\r$/, ""));
    }
    while (rest.length > maxLineLength) {
      onLine(rest.slice(0, maxLineLength));
      rest = rest.slice(maxLineLength);
    }
  });
  stream.on("end", () => {
    if (rest !== "") {
      onLine(rest);
    }
    rest = "";
  });
}

// ANSI colours that are readable on light and on dark backgrounds.
const hues = [36, 33, 35, 32, 34, 95, 96] as const;

/**
 * Returns the prefix of a process's lines, such as `tracing-query | `; coloured if `colour` is true. @param width
 * length of the longest name
 */
export function linePrefix(name: string, index: number, width: number, colour: boolean): string {
  const text = `${name.padEnd(width)} |`;
  return colour ? `\u001b[${hues[index % hues.length]}m${text}\u001b[0m ` : `${text} `;
}
