/** Length limit of a name, or of a name pattern, in a file of rules, in characters. */
export const maxNameLength = 256;

/** Maximum number of characters of a sender's name that are compared, which bounds the time of a pattern. */
const maxComparedLength = 1_024;

/** True when a name matches. */
export type NameTest = (name: string) => boolean;

/** ASCII letters in lower case, so that `Authorization` and `authorization` are equal. */
function lowered(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * A test that a name matches one of several patterns. `*` matches any characters, `?` one character, and every other
 * character only itself. Upper-case and lower-case ASCII letters are equal.
 * @param patterns each of at most {@link maxNameLength} characters, which bounds the time of a test
 */
export function nameTest(patterns: readonly string[]): NameTest {
  const exact = new Set<string>();
  const globs: string[] = [];
  for (const pattern of patterns.map(lowered)) {
    if (/[*?]/.test(pattern)) {
      globs.push(pattern);
    } else {
      exact.add(pattern);
    }
  }
  return (name) => {
    const low = lowered(name.slice(0, maxComparedLength));
    return exact.has(low) || globs.some((glob) => globMatches(glob, low));
  };
}

/**
 * Compares each character of the name at most once with each character of the pattern, because only the last `*` is
 * tried again.
 */
function globMatches(glob: string, name: string): boolean {
  let [at, star, retry] = [0, -1, 0];
  let index = 0;
  while (index < name.length) {
    const wanted = glob[at];
    if (wanted === "*") {
      star = at++;
      retry = index;
    } else if (wanted === "?" || wanted === name[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++retry;
    } else {
      return false;
    }
  }
  while (glob[at] === "*") {
    at++;
  }
  return at === glob.length;
}
