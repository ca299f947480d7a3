import { exactShorthands, prefixShorthands } from "../../values/shorthands.ts";

/** Shorthands by the full placeholder that they stand for. */
const shortOf = new Map([...exactShorthands].map(([short, long]) => [long, short]));
/** Prefix shorthands, the longest prefix first, because `path.file` must be tried before `path`. */
const prefixes = [...prefixShorthands].sort(([, a], [, b]) => b.length - a.length);
/**
 * Shorthands in which the rest may contain dots, such as `{re.name.1}`. In all other shorthands, dots would change the
 * meaning of the placeholder.
 */
const dotted = new Set(["re", "rp", "resp", "err"]);

/** Shortens placeholders in a text: `{http.request.host}` becomes `{host}`. */
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
