import type { AttributeComparison } from "storage/api";
import { z } from "zod";
import type { AnalysisService } from "../../service/analysis-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader, readJson } from "./read-request.ts";
import { type SpanFilterValues, spanFilterOf, spanFilterParams, spanFilterSchema } from "./span-filter.ts";
import { besideField, besideQuery } from "./traceql-filter.ts";

const maxBodyBytes = 1_048_576;

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

const selectionPrefix = "selection.";

const sideParams = { ...spanFilterParams, q: besideField };

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

const shared = {
  path: "/api/analysis/v1/compare",
  summary: "What sets a selection of spans apart from others",
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
} as const;

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

interface SideValues extends SpanFilterValues {
  readonly q?: string | undefined;
}

interface ComparisonRequest {
  readonly selection: SideValues;
  readonly background: SideValues;
  readonly limit: number;
  readonly maxSpans: number;
}

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
 * `GET` and `POST …/compare`: attributes, with the difference of their frequency inside and outside the
 * selection.
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
