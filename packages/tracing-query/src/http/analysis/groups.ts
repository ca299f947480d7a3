import { floatQuantile, type TraceQlGroup } from "storage/api";
import { attributeText } from "wire/rows";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import { parseMetricsQuery, parseQuery } from "../../service/parse-query.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsOf, microsSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { timeFields, timeRangeOf } from "./span-filter.ts";

// `by` names the attribute in TraceQL syntax: `name`, `status`, `span.http.route`,
// `resource.service.name`.
const paramsSchema = z.strictObject({
  ...timeFields,
  q: z.string().max(8_192).default("{ }").describe("Spans that count, in TraceQL."),
  by: z
    .string()
    .max(1_024)
    .describe("The attribute or intrinsic, as TraceQL writes it: `span.http.method`, `name`."),
  contains: z.string().max(4_096).default("").describe("Only values with this part, in any case."),
  order: z
    .enum(["spans", "errors", "p50", "p95", "value"])
    .default("spans")
    .describe("Highest first; values from a to z."),
  limit: z.int().min(1).max(200).default(50).describe("Most groups in the answer."),
  offset: z.int().min(0).max(1_000_000).default(0).describe("Groups before those of the answer."),
});

const readParams = paramsReader(paramsSchema);

/**
 * Maximum number of values that are counted. Above it, values with the fewest spans are dropped and `truncated` is
 * true.
 */
const mostGroups = 10_000;

// Quantiles of the answer, in the order in which `groupsOf` reads them.
const quantiles = [0.5, 0.95] as const;

// One value of the attribute with its spans.
const groupSchema = z.strictObject({
  value: z.string().nullable().describe("In text form; null for spans that lack the attribute."),
  type: z
    .string()
    .describe("Of the value: `string`, `int`, `double`, `bool` …; `empty` where there is none."),
  spans: z.int(),
  errors: z.int().describe("Of them, those that failed."),
  p50: microsSchema.describe(
    "Half of the spans take no longer, microseconds; right within a tenth, and never above the longest.",
  ),
  p95: microsSchema,
});

const answerSchema = z
  .strictObject({
    total: z.int().describe("Groups that match, on all pages."),
    truncated: z.boolean().describe("True when the attribute has more values than are counted apart."),
    groups: z.array(groupSchema),
  })
  .meta({ id: "SpanGroups" });

type Group = z.output<typeof groupSchema>;

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const groupsOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/groups",
  id: "getSpanGroups",
  summary: "Spans by the values of an attribute, in pages",
  description: "All matching spans count. The 10,000 values with the most spans are kept.",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { by: "name", limit: "5" } },
  failingExample: { status: 400, request: { query: { by: "span." } } },
};

/**
 * `GET …/groups`: spans grouped by the values of one attribute, as a table with pages. This is an API of our own.
 *
 * ```
 * GET …/groups?by=name&limit=5
 * {"total": 2, "truncated": false,
 *  "groups": [{"value": "SELECT", "type": "string", "spans": 3, "errors": 1, "p50": 29884.416, "p95": 50000},
 *             {"value": "GET /", "type": "string", "spans": 2, "errors": 0, "p50": 20971.52, "p95": 100000}]}
 * ```
 *
 * `contains`, `order`, `limit` and `offset` apply to the groups after counting. Errors: 400 with line and column for a
 * fault in `q`, 400 when `by` is not one attribute, 501 from a store without TraceQL.
 */
export function groupsEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readParams(params);
    const { q, contains, order, limit, offset } = values;
    const range = timeRangeOf(values, Date.now(), limits);
    // Parsed separately, so that an error has the line and column of this text.
    parseQuery(q, "q");
    const by = attributeIn(values.by);
    // The additional status attribute counts failures in the same read.
    const query = parseMetricsQuery(
      `${q}\n| quantile_over_time(duration, ${quantiles.join(", ")}) by (${by}, status)`,
    );
    const all = groupsOf(await service.search.groups({ query, range }, read)).sort(
      (a, b) => b.spans - a.spans || compare(a, b, "value"),
    );
    const wanted = contains.toLowerCase();
    const groups = all
      .slice(0, mostGroups)
      .filter(({ value }) => wanted === "" || (value ?? "").toLowerCase().includes(wanted))
      .sort((a, b) => compare(a, b, order));
    const answer: z.output<typeof answerSchema> = {
      total: groups.length,
      truncated: all.length > mostGroups,
      groups: groups.slice(offset, offset + limit),
    };
    return [JSON.stringify(answer)];
  };
}

/** @throws QueryError QUERY_BAD_PARAMETER when the text is not one attribute */
function attributeIn(text: string): string {
  const refused = new QueryError(
    "QUERY_BAD_PARAMETER",
    `parameter 'by' is not one attribute, such as span.http.method or name: ${JSON.stringify(text.slice(0, 100))}`,
    { parameter: "by" },
  );
  try {
    // The newline ends a comment that the text may contain, so that the parenthesis is still closed.
    const query = parseMetricsQuery(`{ } | count_over_time() by (${text}\n)`);
    const { expression } = query.type === "metrics" ? query : { expression: undefined };
    const isOne =
      expression?.type === "metrics-pipeline" &&
      expression.aggregate.by.length === 1 &&
      expression.secondStages.length === 0;
    if (isOne) {
      return text;
    }
  } catch {
    throw refused;
  }
  throw refused;
}

/**
 * Sums the store's rows, which are by value and status, to one group per value. The type is part of the key: the text
 * "1" and the number 1 are two groups.
 */
function groupsOf(found: readonly TraceQlGroup[]): Group[] {
  const groups = new Map<string, Group & { longestNano: number; buckets: Map<number, number> }>();
  for (const { values, spans, greatest, buckets } of found) {
    const [value = { type: "empty" } as const, status] = values;
    const text = attributeText(value);
    const key = `${value.type} ${text}`;
    const group = groups.get(key) ?? {
      ...{ value: value.type === "empty" ? null : text, type: value.type },
      ...{ spans: 0, errors: 0, p50: 0, p95: 0, longestNano: 0, buckets: new Map() },
    };
    groups.set(key, group);
    group.spans += spans;
    group.errors += status !== undefined && attributeText(status) === "error" ? spans : 0;
    group.longestNano = Math.max(group.longestNano, greatest);
    for (const [bucket, count] of buckets) {
      group.buckets.set(bucket, (group.buckets.get(bucket) ?? 0) + count);
    }
  }
  return Array.from(groups.values(), ({ longestNano, buckets, ...group }) => {
    // The upper end of a bucket may exceed all its durations.
    const [p50 = 0, p95 = 0] = quantiles.map((quantile) =>
      microsOf(Math.min(longestNano, floatQuantile(buckets, quantile))),
    );
    return { ...group, p50, p95 };
  });
}

/**
 * Sort order of the table. Groups of equal rank are ordered by value, so that pages neither repeat nor skip a group.
 */
function compare(a: Group, b: Group, order: z.output<typeof paramsSchema>["order"]): number {
  const byValue = (a.value ?? "") < (b.value ?? "") ? -1 : 1;
  return order === "value" ? byValue : b[order] - a[order] || byValue;
}
