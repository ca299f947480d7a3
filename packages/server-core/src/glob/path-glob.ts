/** One element of a pattern. */
type Part =
  | { readonly kind: "star" }
  | { readonly kind: "any" }
  | { readonly kind: "literal"; readonly character: string }
  | {
      readonly kind: "class";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

function parseClass(characters: readonly string[], start: number): { part: Part; next: number } | undefined {
  let at = start;
  const negated = characters[at] === "^";
  if (negated) {
    at++;
  }
  const ranges: (readonly [string, string])[] = [];
  const take = (): string | undefined => {
    const character = characters[at];
    if (character === undefined || character === "-" || character === "]") {
      return undefined;
    }
    at++;
    return character === "\\" ? characters[at++] : character;
  };
  for (;;) {
    if (characters[at] === "]" && ranges.length > 0) {
      return { part: { kind: "class", negated, ranges }, next: at + 1 };
    }
    const low = take();
    if (low === undefined) {
      return undefined;
    }
    let high = low;
    if (characters[at] === "-") {
      at++;
      const end = take();
      if (end === undefined) {
        return undefined;
      }
      high = end;
    }
    ranges.push([low, high]);
  }
}

function parseSegment(text: string): Part[] | undefined {
  const characters = [...text];
  const parts: Part[] = [];
  for (let at = 0; at < characters.length; ) {
    const character = characters[at++] ?? "";
    if (character === "*") {
      parts.push({ kind: "star" });
    } else if (character === "?") {
      parts.push({ kind: "any" });
    } else if (character === "[") {
      const found = parseClass(characters, at);
      if (found === undefined) {
        return undefined;
      }
      parts.push(found.part);
      at = found.next;
    } else if (character === "\\") {
      const escaped = characters[at++];
      if (escaped === undefined) {
        return undefined;
      }
      parts.push({ kind: "literal", character: escaped });
    } else {
      parts.push({ kind: "literal", character });
    }
  }
  return parts;
}

function standsFor(part: Part, character: string): boolean {
  switch (part.kind) {
    case "literal":
      return part.character === character;
    case "class":
      return part.ranges.some(([low, high]) => low <= character && character <= high) !== part.negated;
    default:
      return true;
  }
}

/** Only the last star is tried at several positions, so the time is at most the product of both lengths. */
function matchesSegment(parts: readonly Part[], text: string): boolean {
  const characters = [...text];
  let p = 0;
  let t = 0;
  let afterStar = -1;
  let retryAt = 0;
  while (t < characters.length) {
    const part = parts[p];
    if (part?.kind === "star") {
      afterStar = ++p;
      retryAt = t;
    } else if (part !== undefined && standsFor(part, characters[t] ?? "")) {
      p++;
      t++;
    } else if (afterStar >= 0) {
      p = afterStar;
      t = ++retryAt;
    } else {
      return false;
    }
  }
  while (parts[p]?.kind === "star") {
    p++;
  }
  return p === parts.length;
}

/** True when a text contains a character with a special meaning in globs. */
export function isGlob(text: string): boolean {
  return /[*?[\\]/.test(text);
}

/**
 * Prepares a glob for paths: `*` matches any text without a slash, `?` any character except a slash, `[a-z]` and
 * `[^a-z]` a character of a class. `\` removes the special meaning of the next character. The whole path must match.
 * @returns undefined for a malformed pattern, which in Caddy matches nothing
 * Source: Go, `path.Match`
 */
export function compileGlob(pattern: string): ((path: string) => boolean) | undefined {
  const segments: Part[][] = [];
  for (const segment of pattern.split("/")) {
    const parts = parseSegment(segment);
    if (parts === undefined) {
      return undefined;
    }
    segments.push(parts);
  }
  return (path) => {
    const found = path.split("/");
    return (
      found.length === segments.length &&
      segments.every((parts, index) => matchesSegment(parts, found[index] ?? ""))
    );
  };
}
