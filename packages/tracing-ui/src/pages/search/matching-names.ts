/** Names offered below a field; more would not be read. */
const mostOffered = 50;

/**
 * Names that what is typed may mean: those that begin with it first, then those that hold it, in any case.
 * A whole name, as somebody chose it before, offers all: whoever opens the list wants another.
 */
export function matchingNames(names: readonly string[], typed: string): readonly string[] {
  const part = typed.trim().toLowerCase();
  if (part === "" || names.includes(typed)) {
    return names.slice(0, mostOffered);
  }
  const beginning: string[] = [];
  const within: string[] = [];
  for (const name of names) {
    const at = name.toLowerCase().indexOf(part);
    if (at === 0) {
      beginning.push(name);
    } else if (at > 0 && within.length < mostOffered) {
      within.push(name);
    }
    if (beginning.length === mostOffered) {
      break;
    }
  }
  return [...beginning, ...within].slice(0, mostOffered);
}

/**
 * The name meant by a user who typed a part of it: the first match, or the text itself when nothing matches.
 */
export function meantName(names: readonly string[], typed: string | undefined): string | undefined {
  if (typed === undefined || names.includes(typed)) {
    return typed;
  }
  return matchingNames(names, typed)[0] ?? typed;
}
