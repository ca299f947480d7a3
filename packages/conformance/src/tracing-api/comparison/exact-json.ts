/**
 * Parses JSON. A number that a double does not print the same way becomes a text, so that a comparison sees each digit:
 * `18446744073709551606` becomes `number 18446744073709551606`.
 * @throws SyntaxError when it is not JSON
 */
export function parseExactJson(text: string): unknown {
  const reviver = (_key: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === "number" && source !== undefined && String(value) !== source
      ? `number ${source}`
      : value;
  // TypeScript does not know the third parameter yet. Source: ECMAScript proposal "JSON.parse source text access".
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
}
