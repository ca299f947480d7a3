import type { SearchAddress } from "../../searches/search-address.ts";
import { attributeParts } from "./columns.ts";
import { withCondition } from "./with-condition.ts";

/**
 * The search for the traces of a group. Texts become a condition like any other, so that fields can show it;
 * other values become a second step of the query. An example is the group 500 of `span.http.status_code` in
 * the search `{ }`:
 *
 *     { }
 *     | { span.http.status_code = 500 }
 *
 * @param spans the spans that were counted, as TraceQL
 * @param group value and TraceQL type of the group; null for spans without the attribute
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
