import { type AttributeScope, attributeScopes } from "storage/api";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";
import { spanConditionsOf, spanFilterParams, timeRangeOf } from "./span-filter.ts";

// The scopes of TraceQL: `span`, `resource`, `event`, `link`, `instrumentation`, `intrinsic`.
const scope = z
  .enum(attributeScopes)
  .describe("Where it stands, in TraceQL's words; `intrinsic` is what every span has: `status`, `name` …");

const prefix = z.string().max(4_096).optional().describe("What it begins with, to the letter.");

const ofSample =
  "Of many spans the newest are looked at, some hundred thousand, in whole minutes; names of services and operations " +
  "come from counts of all spans. Filters as for a heat map.";

// Every field of the filter narrows the spans whose attributes are listed.
const namesSchema = z.strictObject({
  ...spanFilterParams,
  scope: scope.optional(),
  prefix,
  limit: z.int().min(1).max(10_000).default(1_000).describe("Most names of each scope: the most frequent."),
});

const readNamesParams = paramsReader(namesSchema);

const namesAnswerSchema = z
  .strictObject({
    attributes: z.array(z.strictObject({ scope, name: z.string() })).describe("By scope, then name."),
  })
  .meta({ id: "AttributeNames" });

/** Describes the list of names for the OpenAPI document. The example here runs as a test against a store. */
export const attributeNamesOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/attributes",
  id: "getAttributeNames",
  summary: "Names of attributes, for completion",
  description: ofSample,
  query: namesSchema,
  answer: { contentType: "application/json", schema: namesAnswerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { scope: "span", prefix: "http." } },
};

// Scope and name are in the path, because they identify the attribute.
const valuesSchema = z.strictObject({
  ...spanFilterParams,
  prefix,
  limit: z.int().min(1).max(10_000).default(100).describe("Most values: the most frequent."),
});

const readValuesParams = paramsReader(valuesSchema);

const valuesAnswerSchema = z
  .strictObject({
    values: z
      .array(
        z.strictObject({
          type: z
            .enum(["string", "int", "float", "bool", "keyword"])
            .describe("As TraceQL compares it; keywords are written without quotes."),
          value: z.string().describe("In text form."),
          count: z.int().optional().describe("How often it was seen; absent for keywords."),
        }),
      )
      .describe("Most frequent first. Plain values only, of up to 1,024 bytes."),
  })
  .meta({ id: "AttributeValues" });

/** Describes the list of values for the OpenAPI document. The example here runs as a test against a store. */
export const attributeValuesOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/attributes/:scope/:name/values",
  id: "getAttributeValues",
  summary: "Values of an attribute, for completion",
  description: ofSample,
  pathParts: z.strictObject({ scope, name: z.string().describe("Of the attribute, or the intrinsic.") }),
  query: valuesSchema,
  answer: { contentType: "application/json", schema: valuesAnswerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { path: { scope: "resource", name: "service.name" }, query: { limit: "10" } },
};

/**
 * `GET …/attributes`: attribute names of matching spans. The UI uses them to complete queries.
 * `/tempo/api/v2/search/tags` returns the same names in Tempo's form.
 *
 * ```
 * GET …/attributes?scope=span&prefix=re
 * {"attributes": [{"scope": "span", "name": "region"}]}
 * ```
 *
 * Errors: 400 for a parameter, 501 from a store without TraceQL.
 */
export function attributeNamesEndpoint({ search }: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readNamesParams(params);
    const { scope: only, prefix: begin = "", limit } = values;
    const range = timeRangeOf(values, Date.now(), limits);
    const found = await search.attributeNames(
      {
        ...{ range, limit, prefix: begin, filter: spanConditionsOf(values) },
        ...(only === undefined ? {} : { scope: only }),
      },
      read,
    );
    const answer: z.output<typeof namesAnswerSchema> = {
      attributes: found.map(({ scope: where, name }) => ({ scope: where, name })),
    };
    return [JSON.stringify(answer)];
  };
}

/**
 * `GET …/attributes/{scope}/{name}/values`: values of one attribute on matching spans, the most frequent first.
 *
 * ```
 * GET …/attributes/resource/service.name/values?limit=10
 * {"values": [{"type": "string", "value": "db", "count": 3}, {"type": "string", "value": "shop", "count": 2}]}
 * ```
 *
 * Errors: 400 for a scope that TraceQL lacks, 501 from a store without TraceQL.
 */
export function attributeValuesEndpoint({ search }: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, pathPart, read }) => {
    const where = scopeOf(pathPart("scope"));
    const values = readValuesParams(params);
    const { prefix: begin = "", limit } = values;
    const range = timeRangeOf(values, Date.now(), limits);
    const found = await search.attributeValues(
      {
        ...{ scope: where, name: pathPart("name"), range, limit, prefix: begin },
        filter: spanConditionsOf(values),
      },
      read,
    );
    const answer: z.output<typeof valuesAnswerSchema> = {
      values: found.map(({ type, value, count }) => ({
        ...{ type, value },
        ...(count === undefined ? {} : { count }),
      })),
    };
    return [JSON.stringify(answer)];
  };
}

/**
 * The scope in a path. @throws QueryError QUERY_BAD_PARAMETER that lists the scopes and quotes at most 100 characters
 */
function scopeOf(text: string): AttributeScope {
  const found = attributeScopes.find((one) => one === text);
  if (found === undefined) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `parameter 'scope' is none of ${attributeScopes.join(", ")}: ${JSON.stringify(text.slice(0, 100))}`,
      { parameter: "scope" },
    );
  }
  return found;
}
