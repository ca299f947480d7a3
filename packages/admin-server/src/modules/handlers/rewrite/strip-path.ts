/** One character of a path, and how much of the escaped path it takes. */
interface Unit {
  readonly character: string;
  readonly length: number;
}

function isEscape(text: string, at: number): boolean {
  return /^%[0-9a-f]{2}$/i.test(text.slice(at, at + 3));
}

function decoded(path: string, at: number): Unit {
  const character = String.fromCharCode(Number.parseInt(path.slice(at + 1, at + 3), 16));
  return { character, length: 3 };
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * Takes a prefix off an escaped path. Case does not count; an escape of the path matches its character, unless the prefix
 * has an escape there too.
 * @returns the path as it is when it does not begin so
 */
export function stripPrefix(path: string, prefix: string): string {
  let at = 0;
  for (let index = 0; index < prefix.length; index++) {
    const unit =
      isEscape(path, at) && !isEscape(prefix, index)
        ? decoded(path, at)
        : { character: path[at] ?? "", length: 1 };
    if (!same(unit.character, prefix[index] ?? "")) {
      return path;
    }
    at += unit.length;
  }
  return path.slice(at);
}

/** As {@link stripPrefix}, for the end of a path. */
export function stripSuffix(path: string, suffix: string): string {
  let end = path.length;
  for (let index = suffix.length - 1; index >= 0; index--) {
    const suffixEscaped = isEscape(suffix, index - 2) || isEscape(suffix, index);
    const unit =
      isEscape(path, end - 3) && !suffixEscaped
        ? decoded(path, end - 3)
        : { character: path[end - 1] ?? "", length: 1 };
    if (!same(unit.character, suffix[index] ?? "")) {
      return path;
    }
    end -= unit.length;
  }
  return path.slice(0, end);
}
