/** An error message, and the part of the query that it is about. */
export interface ErrorPlace {
  /** Start of the marked part. */
  from: number;
  /** End of the marked part. */
  to: number;
  /** The server's message without the line and column. */
  message: string;
}

/**
 * Finds the place of a TraceQL error: the word at the line and column in the server's message, or the whole
 * text when the message has no position. `parse error at line 1, col 3: unexpected x` marks the word from the third
 * letter.
 */
export function errorPlace(text: string, said: string): ErrorPlace {
  const message = said.replace(/^invalid TraceQL query: /, "");
  const found = /line (\d+), col (\d+)(?::\s*)?/.exec(message);
  if (found === null) {
    return { from: 0, to: text.length, message };
  }
  const [place, line, column] = found;
  const lines = text.split("\n");
  const before = lines.slice(0, Number(line) - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const from = Math.min(text.length, before + Number(column) - 1);
  const word = /^(?:"(?:[^"\\\n]|\\.)*"?|[\p{L}\p{N}_.:/-]+|[=~!<>&|]+|.)/u.exec(text.slice(from))?.[0] ?? "";
  // An error at the very end has no word, so the last letter is marked.
  const start = word === "" ? Math.max(0, from - 1) : from;
  const words = message.replace(/^parse error at /, "").replace(place, "");
  return { from: start, to: Math.max(from + word.length, start), message: words || message };
}
