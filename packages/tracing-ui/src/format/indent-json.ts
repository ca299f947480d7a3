/** Indent of one level. */
const step = "  ";

/**
 * Lays out JSON with a line for each member. Only blanks between its parts change: numbers past 2^53 and
 * duplicate members stay as they were written. Example: `{"a":[1]}` becomes five lines, with `1` on the third.
 * @returns undefined for a text that is not a JSON object or list
 */
export function indentJson(text: string): string | undefined {
  if (!/^\s*[{[]/.test(text)) {
    return undefined;
  }
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let out = "";
  let depth = 0;
  const line = () => `\n${step.repeat(depth)}`;
  const parts = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs)].map(([part]) => part);
  parts.forEach((part, at) => {
    const previous = parts[at - 1];
    if (part === "}" || part === "]") {
      depth -= 1;
      if (previous !== "{" && previous !== "[") {
        out += line();
      }
      out += part;
      return;
    }
    if (previous === "{" || previous === "[" || previous === ",") {
      out += line();
    }
    out += part === ":" ? ": " : part;
    if (part === "{" || part === "[") {
      depth += 1;
    }
  });
  return out;
}
