import { isObject, type JsonValue } from "../../api/json-value.ts";

/** Maximum number of values of a matcher that are named. The number of the others follows. */
const mostValues = 3;

/**
 * Describes in a line the requests that a route matches: `host a.example, path /api/* or path /v1`. Empty: all
 * requests.
 */
export function matchText(match: JsonValue | undefined): string {
  const sets = Array.isArray(match) ? match : [];
  return sets
    .map((set) =>
      Object.entries(isObject(set) ? set : {})
        .map(([name, value]) => `${name} ${valueText(value)}`.trim())
        .join(", "),
    )
    .filter(Boolean)
    .join(" or ");
}

/** Text of a matcher's value: a text cut at 80 characters, or the first three texts of a list. */
function valueText(value: JsonValue): string {
  if (typeof value === "string") {
    return value.length > 80 ? `${value.slice(0, 79)}…` : value;
  }
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  const more = texts.length - mostValues;
  return texts.slice(0, mostValues).join(" ") + (more > 0 ? ` and ${more} more` : "");
}
