/** Parameters of a query by name, with all their values in order. */
export type QueryParameters = Map<string, string[]>;

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) {
    return text;
  }
  if (/%(?![0-9a-fA-F]{2})/.test(text)) {
    return undefined;
  }
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    const bytes = spaced.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(bytes, "latin1").toString("utf8");
  }
}

/**
 * Takes a query apart.
 * @param query with or without its `?`
 * @returns what could be read, and whether that is all: a bad escape or a semicolon makes a part unreadable
 * Source: Go, `net/url.ParseQuery`
 */
export function parseQuery(query: string): { readonly parameters: QueryParameters; readonly whole: boolean } {
  const parameters: QueryParameters = new Map();
  let whole = true;
  for (const part of query.replace(/^\?/, "").split("&")) {
    if (part === "") {
      continue;
    }
    const cut = part.indexOf("=");
    const name = decode(cut === -1 ? part : part.slice(0, cut));
    const value = cut === -1 ? "" : decode(part.slice(cut + 1));
    if (name === undefined || value === undefined || part.includes(";")) {
      whole = false;
      continue;
    }
    const values = parameters.get(name);
    if (values === undefined) {
      parameters.set(name, [value]);
    } else {
      values.push(value);
    }
  }
  return { parameters, whole };
}

/** A name or value as it stands in a query. Source: Go, `net/url.QueryEscape` */
export function escapeQuery(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

/** @returns the parameters as a query with its `?`; "" when there are none */
export function formatQuery(parameters: QueryParameters): string {
  const parts: string[] = [];
  for (const [name, values] of parameters) {
    for (const value of values) {
      parts.push(`${escapeQuery(name)}=${escapeQuery(value)}`);
    }
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
