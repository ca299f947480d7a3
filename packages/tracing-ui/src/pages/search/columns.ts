/** Matches an attribute or intrinsic in TraceQL syntax: `span.http.method`, `.region`, `name`. */
const attribute =
  /^(?:(?:(?:span|resource|event|link|instrumentation|parent)?\.)(?:"(?:[^"\\]|\\.)+"|[\p{L}\p{N}_./:-]+)|[a-z][A-Za-z:]*)$/u;

/**
 * Maximum number of extra columns. Further columns in the address are ignored. Each takes 144 pixels, so more would
 * leave no room for the names.
 */
export const mostColumns = 8;

/**
 * Parses a comma-separated list of attributes: `span.a,.b,name` gives all three. Texts that are not an
 * attribute, repeats, and attributes past the limit are left out. Commas in quotes are part of a name.
 */
export function columnsOf(text: string | undefined): readonly string[] {
  const parts = (text ?? "").match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
  return [...new Set(parts.map((part) => part.trim()).filter(isAttribute))].slice(0, mostColumns);
}

/** True when a text is exactly one attribute or intrinsic. */
export function isAttribute(text: string): boolean {
  return attribute.test(text);
}

/** Scope and name of an attribute: `span."a b"` gives `span` and `a b`; undefined for an intrinsic. */
export function attributeParts(text: string): { scope: string; key: string } | undefined {
  const [, scope, name] = /^(\w*)\.(.+)$/s.exec(text) ?? [];
  if (scope === undefined || name === undefined) {
    return undefined;
  }
  const key = name.startsWith('"') ? name.slice(1, -1).replace(/\\(.)/g, "$1") : name;
  return { scope, key };
}
