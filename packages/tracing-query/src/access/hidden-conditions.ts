import type { SpanFilter } from "storage/api";
import { QueryError } from "../query-error.ts";
import type { Access } from "./access.ts";
import { attributeNamesIn } from "./attribute-names.ts";

/** The parts of a query that may name attributes. */
export interface NamingQuery {
  readonly tags?: SpanFilter["tags"] | undefined;
  /** Trees of TraceQL: queries, conditions. */
  readonly trees?: readonly unknown[];
  /** Names of attributes whose values are asked for. */
  readonly names?: readonly string[];
}

/**
 * Refuses a query that names a marked attribute: a search for a value tells whether it is there, a group counts it.
 * A query may ask if a span has the attribute, because names are not hidden. The check reads the tree that the store
 * evaluates, so no spelling of a name escapes.
 * @throws QueryError QUERY_FORBIDDEN
 */
export function refuseHidden(access: Access, { tags, trees = [], names = [] }: NamingQuery): void {
  const { hidden, role } = access;
  if (hidden === undefined) {
    return;
  }
  const found = new Set([...(tags?.keys() ?? []), ...names]);
  for (const tree of trees) {
    for (const name of attributeNamesIn(tree, { exists: false })) {
      found.add(name);
    }
  }
  for (const name of found) {
    if (hidden.touches(name)) {
      throw new QueryError(
        "QUERY_FORBIDDEN",
        `the values of attribute "${name}" are hidden from the role ${role}: they cannot be searched, grouped, counted or listed`,
        { parameter: name },
      );
    }
  }
}
