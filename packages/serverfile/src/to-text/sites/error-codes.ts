import { isJsonArray, type JsonValue } from "server-core/json/json-value";
import { hasOnly } from "../json-lists.ts";

const status = "\\{http\\.error\\.status_code\\}";
/** `{http.error.status_code} >= 500 && {http.error.status_code} <= 599` */
const classPattern = new RegExp(`^${status} >= (\\d)00 && ${status} <= \\1(?:99)$`);
/** `{http.error.status_code} in [404, 405]` */
const codesPattern = new RegExp(`^${status} in \\[(\\d{3}(?:, \\d{3})*)\\]$`);

/** The status codes in the matchers of an error route, as words of `handle_errors`; undefined for other matchers. */
export function errorCodes(match: JsonValue | undefined): string[] | undefined {
  if (match === undefined) {
    return [];
  }
  const set = isJsonArray(match) && match.length === 1 ? match[0] : undefined;
  const expression = hasOnly(set, "expression") ? set.expression : undefined;
  const codes = `${expression ?? ""}`.split(" || ").map((condition) => {
    const [, digit] = classPattern.exec(condition) ?? [];
    return digit === undefined ? codesPattern.exec(condition)?.[1]?.split(", ") : [`${digit}xx`];
  });
  return codes.includes(undefined) ? undefined : codes.flatMap((each) => each ?? []);
}
