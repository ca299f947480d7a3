import type { SearchAddress } from "../../searches/search-address.ts";
import { attributeParts } from "./columns.ts";
import { withCondition } from "./with-condition.ts";

/**
 * Builds the search for the traces of a group. A text value becomes an ordinary condition, so that fields can show it;
 * other values become a second stage of the query. An example is the group 500 of `span.http.status_code` in
 * the search `{ }`:
 *
 *     { }
 *     | { span.http.status_code = 500 }
 *
 * @param spans TraceQL query of the grouped spans
 * @param group value and TraceQL type of the group; value null for spans without the attribute
 */
export function searchOfGroup(
  address: SearchAddress,
  spans: string,
  { value, type }: { value: string | null; type: string },
): SearchAddress {
  const { group = "" } = address;
  const parts = attributeParts(group);
  const whole = { ...address, group: undefined, groupFilter: undefined, page: "1" };
  const isSimple =
    parts !== undefined && value !== null && type === "string" && /^(span|resource)?$/.test(parts.scope);
  if (isSimple) {
    return withCondition(whole, { ...parts, value });
  }
  const literal =
    /^(int|bool|status|kind)/.test(type) || /^(status|kind)$/.test(group) ? value : JSON.stringify(value);
  const condition = value === null ? `${group} = nil` : `${group} = ${literal}`;
  return { ...whole, q: `${spans}\n| { ${condition} }` };
}
