import { escapeQuery, percentDecode } from "./percent-encoding.ts";

/** Parameters of a query by name, with all their values in order. */
export type QueryParameters = Map<string, string[]>;

/**
 * Parses a query.
 * @param query with or without its `?`
 * @returns the readable parameters; `whole` is false when a bad escape or a semicolon made a part unreadable
 * Source: Go, `net/url.ParseQuery`
 */
export function parseQuery(query: string): { readonly parameters: QueryParameters; readonly whole: boolean } {
  const parameters: QueryParameters = new Map();
  let whole = true;
  for (const part of query.replace(/^\?/, "").split("&")) {
    if (part === "") {
      continue;
    }
    const spaced = part.replaceAll("+", " ");
    const cut = spaced.indexOf("=");
    const name = percentDecode(cut === -1 ? spaced : spaced.slice(0, cut));
    const value = cut === -1 ? "" : percentDecode(spaced.slice(cut + 1));
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
