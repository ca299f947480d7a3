import type { AttributeComparison } from "storage/api";
import { z } from "zod";
import type { AnalysisService } from "../../service/analysis-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader, readJson } from "./read-request.ts";
import { type SpanFilterValues, spanFilterOf, spanFilterParams, spanFilterSchema } from "./span-filter.ts";
import { besideField, besideQuery } from "./traceql-filter.ts";

// Maximum number of bytes of a POST body: 1 MiB. A longer body gets 413.
const maxBodyBytes = 1_048_576;

// Limits of the answer and of the work, from the body or the parameters.
const sizes = {
  limit: z.int().min(1).max(1_000).default(50).describe("Most differences in the answer."),
  maxSpans: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(50_000)
    .describe(
      "Most spans looked at on each side, the newest; a tenth of it, but 1,000, where they do not lie in a quarter of an hour.",
    ),
};

// One side of the comparison, as a JSON object.
const sideSchema = spanFilterSchema.extend({ q: besideField }).meta({
  id: "SpanSelection",
  description: "Conditions for spans; all must be met.",
});

const bodySchema = z
  .strictObject({
    selection: sideSchema.describe("The spans that you wonder about."),
    background: sideSchema.describe(
      "What they are compared with: spans that match this, and not the selection.",
    ),
    ...sizes,
  })
  .meta({ id: "ComparisonRequest" });

// Prefix of parameters for the selection: `selection.error=true` is the condition `error=true` for the selection alone.
const selectionPrefix = "selection.";

const sideParams = { ...spanFilterParams, q: besideField };

// The URL has each condition twice: without the prefix for both sides, and with the prefix for the selection.
const paramsSchema = z.strictObject({
  ...sideParams,
  ...Object.fromEntries(
    Object.entries(sideParams).map(([name, field]) => [
      `${selectionPrefix}${name}`,
      field.describe(`As \`${name}\`, for the selection; where absent, \`${name}\` is the selection's too.`),
    ]),
  ),
  ...sizes,
});

const readParams = paramsReader(paramsSchema);

const answerSchema = z
  .strictObject({
    selectedSpans: z.int().describe("Spans of the selection that were looked at."),
    otherSpans: z.int().describe("Spans of the background that were looked at."),
    differences: z
      .array(
        z.strictObject({
          place: z.enum(["span", "resource"]).describe("Whose attribute it is."),
          key: z.string(),
          value: z.string().describe("In text form, as tags of a filter have it."),
          selected: z.int().describe("Spans of the selection that have it."),
          others: z.int().describe("Spans of the background that have it."),
        }),
      )
      .describe(
        "Attributes by the difference of their shares, `selected / selectedSpans` and `others / otherSpans`, largest first.",
      ),
  })
  .meta({ id: "AttributeComparison" });

// Fields that both methods of the path share in the OpenAPI document.
const shared = {
  path: "/api/analysis/v1/compare",
  summary: "What sets a selection of spans apart from others",
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
} as const;

/** The comparison with a JSON body, for long filters and secret texts. */
export const compareOperation: OperationDescription = {
  ...shared,
  method: "POST",
  id: "compareAttributes",
  body: bodySchema,
  failureStatuses: [400, 413, 501],
  example: {
    body: { selection: { service: "shop", error: true }, background: { service: "shop" }, limit: 10 },
  },
  failingExample: { status: 400, request: { body: { selection: {} } } },
};

/** The same comparison with URL parameters, which can be shared as a link. */
export const compareByAddressOperation: OperationDescription = {
  ...shared,
  method: "GET",
  id: "compareAttributesByAddress",
  description:
    "The same, where all fits in an address: the filter is the background; what differs in the selection has `selection.` in front.",
  query: paramsSchema,
  failureStatuses: [400, 501],
  example: { query: { service: "shop", "selection.error": "true" } },
  failingExample: { status: 400, request: { query: { "selection.kind": "servant" } } },
};

/** A parsed side of the comparison. */
interface SideValues extends SpanFilterValues {
  /** TraceQL condition on spans of this side; undefined for none. */
  readonly q?: string | undefined;
}

/** A parsed request, common to both methods. */
interface ComparisonRequest {
  /** Spans that the user wants explained. */
  readonly selection: SideValues;
  /** Spans to compare with. The store excludes the selection from them. */
  readonly background: SideValues;
  /** Maximum number of differences in the answer. */
  readonly limit: number;
  /** Maximum number of spans that are read for each side. */
  readonly maxSpans: number;
}

/**
 * Splits URL parameters into two sides.
 *
 * ```
 * service=shop&selection.error=true&limit=10
 * → {background: {service: "shop"}, selection: {service: "shop", error: true}, limit: 10, maxSpans: 50000}
 * ```
 *
 * @throws QueryError QUERY_BAD_PARAMETER for a parameter that the schema refuses
 */
function requestOfParams(params: URLSearchParams): ComparisonRequest {
  const { limit, maxSpans, ...values } = readParams(params);
  const background: Record<string, unknown> = {};
  const differing: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith(selectionPrefix)) {
      differing[name.slice(selectionPrefix.length)] = value;
    } else {
      background[name] = value;
    }
  }
  return { background, selection: { ...background, ...differing }, limit, maxSpans };
}

/**
 * `GET` and `POST …/compare`: finds attributes that are more frequent inside a selection than outside. This is an API
 * of our own. The answer has one entry for each value of an attribute.
 *
 * ```
 * GET …/compare?service=shop&selection.minDuration=50ms
 * {"selectedSpans": 1, "otherSpans": 1,
 *  "differences": [{"place": "span", "key": "region", "value": "east", "selected": 0, "others": 1},
 *                  {"place": "span", "key": "region", "value": "west", "selected": 1, "others": 0}]}
 * ```
 *
 * Errors: 400 with the name of the parameter, such as `selection.kind`; 413 for a long body; 501 from a store
 * without analysis.
 */
export function compareEndpoint(analysis: AnalysisService, limits: ReadLimits): Endpoint {
  return async ({ method, params, body, read }) => {
    const { selection, background, limit, maxSpans }: ComparisonRequest =
      method === "GET" ? requestOfParams(params) : readJson(bodySchema, await body({ bytes: maxBodyBytes }));
    const nowMs = Date.now();
    const sideOf = ({ q, ...values }: SideValues, path: string) => ({
      ...spanFilterOf(values, nowMs, limits, path),
      ...besideQuery(q, path),
    });
    const comparison: AttributeComparison = await analysis.compareAttributes(
      {
        // The message names the field as the client wrote it: `end` in a URL, `background.end` in a body.
        background: sideOf(background, method === "GET" ? "" : "background."),
        selection: sideOf(selection, selectionPrefix),
        limit,
        maxSpans,
      },
      read,
    );
    const answer: z.output<typeof answerSchema> = {
      selectedSpans: comparison.selectedSpans,
      otherSpans: comparison.otherSpans,
      differences: comparison.differences.map(({ place, key, value, selected, others }) => ({
        ...{ place, key, value, selected, others },
      })),
    };
    return [JSON.stringify(answer)];
  };
}
