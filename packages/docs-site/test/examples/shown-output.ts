// Compares a program's output with the text of a page.

/** HTTP headers that pages leave out. */
const leftOut = /^(date|connection|keep-alive): .*$/gim;

/** Times and dates, which differ in each run. */
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\[\d\d:\d\d:\d\d\.\d+\]/g;

function comparable(text: string, varies: boolean): string {
  const same = text.replaceAll("\r", "").replace(leftOut, "").replace(times, "T");
  const plain = varies ? same.replace(/\b[0-9a-f]{16,}\b/g, "0").replace(/\d+(\.\d+)?/g, "0") : same;
  // Pages break long lines.
  return plain.replace(/\s+/g, "");
}

const keysOf = (text: string) => new Set([...text.matchAll(/"([\w.]+)" ?:/g)].map(([, key = ""]) => key));

/**
 * Compares shown and printed output. Ignores white space, times, and HTTP headers that pages leave out. `…`
 * matches any text.
 * @param varies true: figures and ids may differ, and in JSON only the names of members are compared
 * @returns the difference, or undefined
 */
export function differenceOf(shown: string, printed: string, varies: boolean): string | undefined {
  const fault = `the page shows\n${shown}\n\nand it prints\n${printed}`;
  const keys = keysOf(shown);
  if (varies && keys.size > 0) {
    const missing = [...keys.difference(keysOf(printed))];
    return missing.length === 0 ? undefined : `${missing.join(", ")} not printed: ${fault}`;
  }
  const [first = "", ...others] = comparable(shown, varies).split("…");
  const text = comparable(printed, varies);
  if (!text.startsWith(first)) {
    return fault;
  }
  let at = first.length;
  for (const [index, part] of others.entries()) {
    const isLast = index === others.length - 1;
    const found = isLast && part !== "" ? text.lastIndexOf(part) : text.indexOf(part, at);
    if (found < at) {
      return fault;
    }
    at = isLast && part === "" ? text.length : found + part.length;
  }
  return at === text.length ? undefined : fault;
}
