/** Values for `{name:Type}` in a query. */
export type QueryParameters = Readonly<Record<string, string | bigint | number | readonly string[]>>;

const escapes: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  "'": "\\'",
  "\\": "\\\\",
};

/**
 * Converts a value to the form that ClickHouse reads from a request's address: escaped, and quoted inside of an array.
 * Source: ClickHouse documentation, "HTTP interface", "Queries with parameters"
 */
export function parameterText(value: QueryParameters[string]): string {
  if (typeof value === "string") {
    return escaped(value);
  }
  return typeof value === "object"
    ? `[${value.map((text) => `'${escaped(text)}'`).join(",")}]`
    : String(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[\t\n\r'\\]/g, (character) => escapes[character] ?? character);
}
