import { exactShorthands, prefixShorthands } from "../../values/shorthands.ts";

/** Shorthands by the placeholder that they stand for. */
const shortOf = new Map([...exactShorthands].map(([short, long]) => [long, short]));
/** The longest first: a path's file is more than its path. */
const prefixes = [...prefixShorthands].sort(([, a], [, b]) => b.length - a.length);
/** Shorthands whose rest may have dots: `{re.name.1}`. Dots in others would be read as another placeholder. */
const dotted = new Set(["re", "rp", "resp", "err"]);

/** A text with its placeholders as people write them: `{http.request.host}` is `{host}`. */
export function shortenPlaceholders(text: string): string {
  if (!text.includes("{http.")) {
    return text;
  }
  return text.replace(/\{(http\.[\w.?%-]+)\}/g, (all, name: string) => {
    const short = shortOf.get(name);
    if (short !== undefined) {
      return `{${short}}`;
    }
    for (const [prefix, long] of prefixes) {
      const rest = name.slice(long.length + 1);
      const pattern = dotted.has(prefix) ? /^[\w.-]*$/ : /^[\w-]*$/;
      if (name.startsWith(`${long}.`) && pattern.test(rest)) {
        return `{${prefix}.${rest}}`;
      }
    }
    return all;
  });
}
