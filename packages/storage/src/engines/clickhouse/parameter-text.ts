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
 * A value as ClickHouse takes it in the address of a request: escaped, and in quotes where it stands in an array.
 * Source: ClickHouse documentation, "HTTP interface", "Queries with parameters"
 */
export function parameterText(value: QueryParameters[string]): string {
  if (typeof value === "string") return escaped(value);
  return typeof value === "object"
    ? `[${value.map((text) => `'${escaped(text)}'`).join(",")}]`
    : String(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[\t\n\r'\\]/g, (character) => escapes[character] ?? character);
}
