import type { TraceQlQuery } from "traceql";
import { parseMetricsQuery } from "../parse-query.ts";

/** Maximum number of fields in one `by()` that the parser accepts. */
const mostInText = 5;

/**
 * Parses a metrics query and groups it by the given fields. The parser limits the fields of one `by()`, because users
 * write queries. Here the program chooses the fields, so the limit does not apply.
 *
 * ```
 * parseGroupedQuery("{ } | count_over_time()", ["span.a", "status"])
 * ```
 */
export function parseGroupedQuery(text: string, by: readonly string[]): TraceQlQuery {
  const query = parseMetricsQuery(text);
  if (query.type !== "metrics" || query.expression.type !== "metrics-pipeline") {
    throw new Error(`not a plain query of metrics: ${text}`);
  }
  const { expression } = query;
  const fields: (typeof expression.aggregate.by)[number][] = [];
  for (let index = 0; index < by.length; index += mostInText) {
    const some = by.slice(index, index + mostInText);
    const part = parseMetricsQuery(`{ } | count_over_time() by (${some.join(", ")})`);
    if (part.type === "metrics" && part.expression.type === "metrics-pipeline") {
      fields.push(...part.expression.aggregate.by);
    }
  }
  return { ...query, expression: { ...expression, aggregate: { ...expression.aggregate, by: fields } } };
}
