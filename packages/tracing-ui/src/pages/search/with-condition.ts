import type { SearchAddress } from "../../searches/search-address.ts";
import { parseTagText, tagText } from "../../searches/tag-text.ts";
import { traceQlCondition } from "./traceql-fields.ts";

/**
 * Narrows the search by one attribute: adds a tag to the fields, or a condition to TraceQL.
 * @param condition the attribute's scope (`span`, `resource`), name, and value in text form
 */
export function withCondition(
  address: SearchAddress,
  { scope, key, value }: { scope: string; key: string; value: string },
): SearchAddress {
  if (address.q !== undefined) {
    const condition = traceQlCondition(scope, key, value);
    const spanset = /^\s*\{([^{}]*)\}\s*$/.exec(address.q)?.[1]?.trim();
    const q =
      spanset === undefined
        ? `${address.q}\n| { ${condition} }`
        : `{ ${spanset === "" ? condition : `${bracketed(spanset)} && ${condition}`} }`;
    return { ...address, q };
  }
  if (scope === "resource" && key === "service.name") {
    return { ...address, service: value, operation: undefined };
  }
  const tags = parseTagText(address.tags ?? "");
  return { ...address, tags: tagText({ ...(tags.ok ? tags.tags : {}), [key]: value }) };
}

/** Adds parentheses around conditions with `||`, because `||` binds looser than the added `&&`. */
function bracketed(conditions: string): string {
  return conditions.includes("||") ? `(${conditions})` : conditions;
}
