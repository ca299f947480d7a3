import type { AttributeScope } from "storage/api";
import type { Field, TraceQlQuery } from "traceql";
import { QueryError } from "../query-error.ts";
import { parseQuery } from "../service/parse-query.ts";

/** Scope and name under which a tag's values are stored. A tag without a scope has several places. */
export interface TagPlace {
  readonly scopes: readonly AttributeScope[];
  readonly name: string;
}

/** Tag names from before TraceQL that are not attributes. */
const olderTags: ReadonlyMap<string, TagPlace> = new Map([
  ["name", { scopes: ["intrinsic"], name: "span:name" }],
  ["root.name", { scopes: ["intrinsic"], name: "trace:rootName" }],
  ["root.service.name", { scopes: ["intrinsic"], name: "trace:rootService" }],
  ["status.code", { scopes: ["intrinsic"], name: "span:status" }],
  ["service.name", { scopes: ["resource"], name: "service.name" }],
]);

/** The place of a tag whose name has no scope, as in `/api/search/tag/{tag}/values`. */
export function olderTagPlace(name: string): TagPlace {
  return olderTags.get(name) ?? { scopes: ["span", "resource"], name };
}

/**
 * The place of a TraceQL identifier: `.a`, `span.a`, `resource."a b"`, `span:name`, `status`.
 * @throws QueryError QUERY_BAD_PARAMETER for any other text
 */
export function tagPlace(identifier: string): TagPlace {
  const field = soleField(identifier);
  if (field === undefined) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `please provide a valid tagName: ${identifier.slice(0, 100)}`,
      {
        parameter: "tag",
      },
    );
  }
  if (field.type === "intrinsic") {
    return { scopes: ["intrinsic"], name: field.name };
  }
  return { scopes: field.scope === "any" ? ["span", "resource"] : [field.scope], name: field.name };
}

/** The field, when the text is a single field. */
function soleField(text: string): Field | undefined {
  let query: TraceQlQuery;
  try {
    query = parseQuery(`{ ${text} != nil }`, "tag");
  } catch (error) {
    if (error instanceof QueryError) {
      return undefined;
    }
    throw error;
  }
  const [stage, ...others] = query.type === "search" ? query.pipeline.stages : [];
  if (others.length > 0 || stage?.type !== "filter" || stage.condition.type !== "exists") {
    return undefined;
  }
  const { operand } = stage.condition;
  return operand.type === "attribute" || operand.type === "intrinsic" ? operand : undefined;
}
