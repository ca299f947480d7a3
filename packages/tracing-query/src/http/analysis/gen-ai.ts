import { priceOf } from "wire/model-price";
import { z } from "zod";
import {
  type CallFigures,
  type CallStep,
  type GenAiFigures,
  readGenAiFigures,
} from "../../service/gen-ai/gen-ai-figures.ts";
import { genAiSubjects } from "../../service/gen-ai/gen-ai-names.ts";
import type { ModelPrices, ModelPriceTable } from "../../service/model-prices.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsSchema, timeMicrosOf, timeMicrosSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { timeFields, timeRangeOf } from "./span-filter.ts";

/** Number of steps into which the time range is cut. The curve may have one step more. */
const steps = 30n;
const secondNano = 1_000_000_000n;

/** Maximum number of models without a price in the answer. */
const mostUnpriced = 20;

const value = z.string().max(4_096).optional();

const paramsSchema = z.strictObject({
  ...timeFields,
  by: z
    .enum(genAiSubjects)
    .default("model")
    .describe("What each group is: `model` is the one that answered, else the requested one."),
  model: value.describe("Only calls that this model answered."),
  "requested-model": value.describe("Only calls that asked for this model."),
  provider: value.describe("Only calls of this provider."),
  agent: value.describe("Only calls of this agent: named on the call, or on its parent."),
  user: value.describe("Only calls for this user."),
  conversation: value.describe("Only calls of this conversation or session."),
  service: value.describe("Only calls of this service."),
  contains: z.string().max(4_096).default("").describe("Only groups with this part, in any case."),
  order: z
    .enum(["calls", "errors", "input", "output", "cost", "p50", "p95", "value"])
    .default("calls")
    .describe("Highest first; values from a to z."),
  limit: z.int().min(1).max(200).default(50).describe("Most groups in the answer."),
  offset: z.int().min(0).max(1_000_000).default(0).describe("Groups before those of the answer."),
});

const readParams = paramsReader(paramsSchema);

const tokenFields = {
  calls: z.int(),
  errors: z.int().describe("Of them, those that failed."),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number().describe("Input tokens that the provider read from its cache."),
  cost: z.number().nullable().describe("By the file of prices; null when no model has a price."),
  unpricedTokens: z.number().describe("Input and output tokens that `cost` does not include."),
  p50: microsSchema.describe("Half of the calls take no longer; right within a tenth."),
  p95: microsSchema,
};

const figuresSchema = z.strictObject({
  ...tokenFields,
  firstTokenP50: microsSchema.nullable().describe("Time to the first token; null when no call has it."),
  firstTokenP95: microsSchema.nullable(),
});

const groupSchema = z.strictObject({
  value: z.string().nullable().describe("Of the subject; null for calls without it."),
  ...figuresSchema.shape,
});

const answerSchema = z
  .strictObject({
    currency: z.string(),
    by: z.enum(genAiSubjects),
    total: z.int().describe("Groups that match, on all pages."),
    truncated: z.boolean().describe("True when there are more groups than are counted."),
    query: z.string().describe("TraceQL that selects the counted spans, for a search of their traces."),
    sum: figuresSchema.describe("All calls of the time, also those of other pages."),
    unpricedModels: z.array(z.string()).describe(`Models without a price, at most ${mostUnpriced}.`),
    groups: z.array(groupSchema),
    start: timeMicrosSchema.describe("Where the first step begins, microseconds since the Unix epoch."),
    step: z.int().describe("Microseconds of a step."),
    steps: z.int(),
    curve: z
      .array(z.strictObject({ step: z.int(), ...tokenFields }))
      .describe("All calls by step; steps without are left out."),
  })
  .meta({ id: "GenAiFigures" });

type Answer = z.output<typeof answerSchema>;
type Group = z.output<typeof groupSchema>;
type Order = z.output<typeof paramsSchema>["order"];

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const genAiOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/gen-ai",
  id: "getGenAiFigures",
  summary: "Calls of language models: tokens, cost, errors and times by model, agent, user and others",
  description:
    "Counted from all stored spans that name a model, by the conventions of OpenTelemetry, OpenInference and others. " +
    "Spans of agents, tools and wrappers do not count, because they repeat the tokens of the calls inside.",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { by: "model" } },
  failingExample: { status: 400, request: { query: { by: "colour" } } },
};

/**
 * `GET …/gen-ai`: figures of calls of models. This is an API of our own.
 *
 * ```
 * GET …/gen-ai?by=model&user=ann
 * {"currency": "USD", "by": "model", "total": 1, "truncated": false, "query": "{ … }", "sum": {…}, "unpricedModels": [],
 *  "groups": [{"value": "gpt-4o", "calls": 3, "errors": 1, "inputTokens": 900, "outputTokens": 80, "cachedTokens": 0,
 *              "cost": 0.00305, "unpricedTokens": 0, "p50": 812000, "p95": 1400000, "firstTokenP50": 240000,
 *              "firstTokenP95": 310000}],
 *  "start": 1795965840000000, "step": 120000000, "steps": 31, "curve": [{"step": 3, "calls": 3, …}]}
 * ```
 *
 * Errors: 400 for a parameter, 403 when the attribute of a subject is marked, 413 past --query.max-answer-size.
 * 500 for a mistake in the file of prices, 501 from a store without TraceQL.
 */
export function genAiEndpoint(service: QueryService, limits: ReadLimits, prices: ModelPrices): Endpoint {
  return async ({ params, read }) => {
    const values = readParams(params);
    const { by, contains, order, limit, offset, start: _start, end: _end, ...where } = values;
    const range = timeRangeOf(values, Date.now(), limits);
    const stepNano = ((range.endUnixNano - range.startUnixNano) / steps / secondNano + 1n) * secondNano;
    const table = await prices.read();
    const found = await readGenAiFigures({ by, where, range, stepNano }, service.search, limits, read);
    const part = contains.toLowerCase();
    const groups = Array.from(
      found.groups,
      ([name, figures]): Group => ({
        value: name,
        ...shownFigures(figures, table),
      }),
    )
      .filter((group) => part === "" || (group.value ?? "").toLowerCase().includes(part))
      .sort((a, b) => compare(a, b, order));
    const answer: Answer = {
      ...{ currency: table.currency, by, total: groups.length, truncated: found.truncated },
      query: found.query,
      sum: shownFigures(found.sum, table),
      unpricedModels: unpricedModels(found, table),
      groups: groups.slice(offset, offset + limit),
      start: timeMicrosOf(found.startUnixNano),
      step: timeMicrosOf(stepNano),
      steps: Number((range.endUnixNano - found.startUnixNano) / stepNano) + 1,
      curve: found.steps.map((step) => shownStep(step, table)),
    };
    return [JSON.stringify(answer)];
  };
}

function shownTokens(figures: CallFigures, { models }: ModelPriceTable) {
  const { input, output, cached, cost, unpriced } = figures.totals(models);
  return {
    ...{ inputTokens: input, outputTokens: output, cachedTokens: cached },
    ...{ cost: cost ?? null, unpricedTokens: unpriced },
  };
}

function shownFigures(figures: CallFigures, table: ModelPriceTable): z.output<typeof figuresSchema> {
  const { calls, errors } = figures;
  return {
    ...{ calls, errors, ...shownTokens(figures, table) },
    ...{ p50: figures.durationUs(0.5), p95: figures.durationUs(0.95) },
    firstTokenP50: figures.firstTokenUs(0.5) ?? null,
    firstTokenP95: figures.firstTokenUs(0.95) ?? null,
  };
}

function shownStep({ step, calls, errors, tokens, p50, p95 }: CallStep, table: ModelPriceTable) {
  return { step, calls, errors, ...shownTokens(tokens, table), p50, p95 };
}

/** Names of models that have no price. Empty for an empty table, because then no model has one. */
function unpricedModels({ sum }: GenAiFigures, { models }: ModelPriceTable): string[] {
  if (models.length === 0) {
    return [];
  }
  return [...sum.tokens.keys()]
    .filter((model) => model !== "" && priceOf(model, models) === undefined)
    .slice(0, mostUnpriced);
}

/** The field by which each order sorts. `value` sorts by the name of the group. */
const fields = {
  ...{ calls: "calls", errors: "errors", input: "inputTokens", output: "outputTokens" },
  ...{ cost: "cost", p50: "p50", p95: "p95" },
} as const satisfies Record<Exclude<Order, "value">, keyof Group>;

/** Groups of equal rank are ordered by value, so that pages neither repeat nor skip a group. */
function compare(a: Group, b: Group, order: Order): number {
  const byValue = (a.value ?? "") < (b.value ?? "") ? -1 : 1;
  if (order === "value") {
    return byValue;
  }
  const field = fields[order];
  return (b[field] ?? 0) - (a[field] ?? 0) || byValue;
}
