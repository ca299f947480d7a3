import { z } from "zod";
import { type ExceptionGroup, exceptionLabels, groupExceptions } from "../../service/exception-groups.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { readSeries } from "./metrics-read.ts";
import { paramsReader } from "./read-request.ts";
import { timeFields, timeRangeOf } from "./span-filter.ts";

/** Number of steps into which the time range is cut. A curve may have one step more. */
const steps = 30;
/** Minimum step of a curve: one second. */
const minStepNano = 1_000_000_000n;
/** Maximum number of counted pairs of type and full message; the most frequent pairs are kept. */
const maxMessages = 4_000;

const paramsSchema = z.strictObject({
  ...timeFields,
  service: z.string().max(4_096).optional().describe("Name of the service; every service when absent."),
  contains: z
    .string()
    .max(4_096)
    .default("")
    .describe("Only exceptions with this part in the type or the message, in any case."),
  order: z
    .enum(["count", "last", "first"])
    .default("count")
    .describe("Most exceptions first, or those that were thrown last, or that began last."),
  limit: z.int().min(1).max(200).default(50).describe("Most groups in the answer."),
  offset: z.int().min(0).max(1_000_000).default(0).describe("Groups before those of the answer."),
});

const readParams = paramsReader(paramsSchema);

// Every time of the answer has this unit.
const time = z.int().describe("Microseconds since the Unix epoch.");

const answerSchema = z
  .strictObject({
    total: z.int().describe("Groups that match, on all pages."),
    exceptions: z.int().describe("Exceptions of these groups, on all pages."),
    truncated: z.boolean().describe(`True when there are more than ${maxMessages} different messages.`),
    start: time.describe("Where the first step begins, microseconds since the Unix epoch."),
    step: z.int().describe("Microseconds of a step."),
    steps: z.int(),
    groups: z.array(
      z.strictObject({
        type: z.string(),
        template: z.string().describe("The message; `<…>` stands where messages of the group differ."),
        count: z.int(),
        services: z.array(z.strictObject({ name: z.string(), count: z.int() })).describe("Most first."),
        first: time.describe("When it was seen first in the asked time, right to a step."),
        last: time,
        curve: z.array(z.tuple([z.int(), z.int()])).describe("`[step, count]`; steps without are left out."),
        examples: z
          .array(z.strictObject({ traceID: z.string(), spanID: z.string(), time }))
          .describe("Newest first."),
      }),
    ),
  })
  .meta({ id: "ExceptionGroups" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const exceptionsOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/exceptions",
  id: "getExceptions",
  summary: "Exceptions by type and template of the message, in pages",
  description:
    "All events named `exception` count. Messages that differ in numbers, ids, addresses and quoted texts are one group.",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { limit: "5" } },
  failingExample: { status: 400, request: { query: { order: "size" } } },
};

/**
 * `GET …/exceptions`: exceptions recorded as span events, grouped by type and message template. This is an API of our
 * own. Two messages that differ only in a number belong to one group:
 *
 * ```
 * "order 17 is gone", "order 23 is gone"  →  template "order <number> is gone"
 * GET …/exceptions?service=shop&limit=1
 * {"total": 1, "exceptions": 2, "truncated": false, "start": 1795965840000000, "step": 120000000, "steps": 31,
 *  "groups": [{"type": "NotFound", "template": "order <number> is gone", "count": 2,
 *              "services": [{"name": "shop", "count": 2}], "first": 1795967689000000, "last": 1795967690000000,
 *              "curve": [[15, 2]], "examples": [{"traceID": "71a8…", "spanID": "…a3", "time": 1795967690000000}]}]}
 * ```
 *
 * A curve has about 30 steps of whole seconds. Errors: 400 for a parameter, 413 past --query.max-answer-size,
 * 501 from a store without TraceQL.
 */
export function exceptionsEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readParams(params);
    const { contains, order, limit, offset } = values;
    const range = timeRangeOf(values, Date.now(), limits);
    const length = range.endUnixNano - range.startUnixNano;
    // Steps are whole seconds, rounded up, so that a rounded step does not add steps to the curve.
    const second = 1_000_000_000n;
    const wanted = (length / BigInt(steps) / second + 1n) * second;
    const stepNano = wanted < minStepNano ? minStepNano : wanted;
    const { type, message, service: name } = exceptionLabels;
    // The name is written as JSON, whose escapes TraceQL strings accept, so that a quote cannot end the text.
    const only = values.service === undefined ? "" : ` && ${name} = ${JSON.stringify(values.service)}`;
    const metrics = await readSeries(
      service,
      `{ event:name = "exception"${only} } | count_over_time() by (${type}, ${message}, ${name})`,
      { range, limits, stepNano, exemplars: true, maxSeries: maxMessages },
      read,
    );
    const part = contains.toLowerCase();
    const groups = groupExceptions(metrics, stepNano)
      .filter((one) => `${one.type}\n${one.template}`.toLowerCase().includes(part))
      .sort((a, b) => orders[order](a, b) || b.count - a.count || (a.type < b.type ? -1 : 1));
    // A sample covers the step before its time, and steps start at multiples of their length.
    const startNano = (range.startUnixNano / stepNano) * stepNano;
    const answer: z.output<typeof answerSchema> = {
      total: groups.length,
      exceptions: groups.reduce((sum, { count }) => sum + count, 0),
      truncated: metrics.truncated,
      start: microsOf(startNano),
      step: microsOf(stepNano),
      steps: Number((range.endUnixNano - startNano) / stepNano) + 1,
      groups: groups.slice(offset, offset + limit).map((one) => shown(one, startNano, stepNano)),
    };
    return [JSON.stringify(answer)];
  };
}

/**
 * One group in the form of the answer. Its curve gives steps by index, without steps that have no exceptions.
 */
function shown(group: ExceptionGroup, startNano: bigint, stepNano: bigint) {
  const { type, template, count, services, curve, examples } = group;
  return {
    ...{ type, template, count },
    services: services.map(([name, thrown]) => ({ name, count: thrown })),
    first: microsOf(group.firstUnixNano),
    last: microsOf(group.lastUnixNano),
    curve: [...curve]
      .map(([end, thrown]): [number, number] => [Number((end - 1n - startNano) / stepNano), thrown])
      .sort(([a], [b]) => a - b),
    examples: examples.map(({ traceId, spanId, unixNano }) => ({
      ...{ traceID: traceId, spanID: spanId, time: microsOf(unixNano) },
    })),
  };
}

/** Sort orders of the table, highest first. Ties are ordered by count, then by type. */
const orders: Record<
  z.output<typeof paramsSchema>["order"],
  (a: ExceptionGroup, b: ExceptionGroup) => number
> = {
  count: (a, b) => b.count - a.count,
  last: (a, b) => Number(b.lastUnixNano - a.lastUnixNano),
  first: (a, b) => Number(b.firstUnixNano - a.firstUnixNano),
};

function microsOf(nano: bigint): number {
  return Number(nano / 1_000n);
}
