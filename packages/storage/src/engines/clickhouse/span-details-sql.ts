import { refTypeKey } from "wire/model";
import { type DetailColumn, detailColumns, onlyParent } from "./schema/span-details-migration.ts";

// SQL expressions that read the column `span_details`. Its value is "", `onlyParent`, or the text of a tuple of
// `detailColumns`.

const names = Object.keys(detailColumns) as DetailColumn[];
const types = names.map((name) => `${name} ${detailColumns[name]}`).join(", ");
const noDetails = `(${names.map((name) => (detailColumns[name] === "UInt32" ? "0" : "[]")).join(",")})`;
const hasTuple = "startsWith(span_details, '(')";
const hasOnlyParent = `span_details = '${onlyParent}'`;
const parentLinks = `CAST([(trace_id, parent_span_id, '', [], 0, 0, 'child_of')] AS ${detailColumns.links})`;
// The text must always be a valid tuple, because some server settings evaluate the cast even for rows that do not need
// it.
const tuple = `CAST(if(${hasTuple}, span_details, '${noDetails}') AS Tuple(${types}))`;

/** SQL condition for a span without a parent id whose link names a parent; see `hasParentLink` of `wire/model`. */
export const hasParentLinkSql =
  `(parent_span_id = toFixedString('', 8) AND position(span_details, '${refTypeKey}') > 0 AND arrayExists(` +
  `l -> l.1 = trace_id AND l.2 != span_id AND arrayExists(a -> a.1 = '${refTypeKey}' AND a.3 = 'child_of', l.4), ` +
  `${detailOf("links")}))`;

/** SQL for one detail in conditions. The tuple is parsed only for spans that have details. */
export function detailOf(name: DetailColumn): string {
  const own = `${tuple}.${names.indexOf(name) + 1}`;
  const none = detailColumns[name] === "UInt32" ? "toUInt32(0)" : `CAST([] AS ${detailColumns[name]})`;
  if (name !== "links") {
    return `if(${hasTuple}, ${own}, ${none})`;
  }
  return `multiIf(${hasTuple}, ${own}, ${hasOnlyParent}, ${parentLinks}, ${none})`;
}
