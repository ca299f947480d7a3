// True when a program has printed the text of a page.

/** Heads of HTTP that pages leave out. */
const leftOut = /^(date|connection|keep-alive): .*$/gim;

/** Times of day and of the calendar, which differ each time. */
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\[\d\d:\d\d:\d\d\.\d+\]/g;

function comparable(text: string, varies: boolean): string {
  const same = text.replaceAll("\r", "").replace(leftOut, "").replace(times, "T");
  const plain = varies ? same.replace(/\b[0-9a-f]{16,}\b/g, "0").replace(/\d+(\.\d+)?/g, "0") : same;
  // Pages break long lines.
  return plain.replace(/\s+/g, "");
}

const keysOf = (text: string) => new Set([...text.matchAll(/"([\w.]+)" ?:/g)].map(([, key = ""]) => key));

/**
 * Compares what is shown with what was printed, but for white space, times and the heads of HTTP that pages leave out. `…`
 * stands for anything.
 * @param varies another run has other figures and ids: then these may differ, and of JSON the names of members count alone
 * @returns what is wrong, or undefined
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
