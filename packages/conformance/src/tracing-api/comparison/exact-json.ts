/**
 * Parses JSON, keeping the text of every number that a double does not print the same way: `18446744073709551606` and
 * `1e+21` become `number 18446744073709551606` and `number 1e+21`, so that a comparison sees each digit.
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
