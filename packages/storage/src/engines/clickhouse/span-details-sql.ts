import { refTypeKey } from "wire/model";
import { type DetailColumn, detailColumns, onlyParent } from "./schema/span-details-migration.ts";

// SQL expressions on `span_details`: empty, `onlyParent`, or the text of a tuple of `detailColumns`.

const names = Object.keys(detailColumns) as DetailColumn[];
const types = names.map((name) => `${name} ${detailColumns[name]}`).join(", ");
const noDetails = `(${names.map((name) => (detailColumns[name] === "UInt32" ? "0" : "[]")).join(",")})`;
const hasTuple = "startsWith(span_details, '(')";
const hasOnlyParent = `span_details = '${onlyParent}'`;
const parentLinks = `CAST([(trace_id, parent_span_id, '', [], 0, 0, 'child_of')] AS ${detailColumns.links})`;
// The text is always a valid tuple, because a server may evaluate the cast for rows that do not need it,
// depending on its settings.
const tuple = `CAST(if(${hasTuple}, span_details, '${noDetails}') AS Tuple(${types}))`;

/** A span without a parent id that names a parent by a link; see `hasParentLink` of `wire/model`. */
export const hasParentLinkSql =
  `(parent_span_id = toFixedString('', 8) AND position(span_details, '${refTypeKey}') > 0 AND arrayExists(` +
  `l -> l.1 = trace_id AND l.2 != span_id AND arrayExists(a -> a.1 = '${refTypeKey}' AND a.3 = 'child_of', l.4), ` +
  `${detailOf("links")}))`;

/** One detail, for conditions; the tuple is parsed only for spans that have one. */
export function detailOf(name: DetailColumn): string {
  const own = `${tuple}.${names.indexOf(name) + 1}`;
  const none = detailColumns[name] === "UInt32" ? "toUInt32(0)" : `CAST([] AS ${detailColumns[name]})`;
  if (name !== "links") {
    return `if(${hasTuple}, ${own}, ${none})`;
  }
  return `multiIf(${hasTuple}, ${own}, ${hasOnlyParent}, ${parentLinks}, ${none})`;
}
