import type { HeaderList } from "./header-list.ts";

/**
 * Prepares the removal of request fields with `_` or `.` in their names. Programs behind gateways (CGI) cannot
 * distinguish these names from names with `-`. A client could therefore forge `X-Real-IP` by sending `X_Real_IP`.
 * @param expected names with `_` or `.` that are kept; case does not count
 * @returns a function that returns the list itself when nothing must be removed
 * Source: Caddy 2.11
 */
export function compileFieldFilter(expected: readonly string[]): (headers: HeaderList) => HeaderList {
  const kept = new Set(expected.map((name) => name.toLowerCase()));
  const drops = (name: string) => (name.includes("_") || name.includes(".")) && !kept.has(name.toLowerCase());
  return (headers) => {
    for (let index = 0; index < headers.length; index += 2) {
      if (drops(headers[index] as string)) {
        return headers.filter((_, position) => !drops(headers[position - (position % 2)] as string));
      }
    }
    return headers;
  };
}
