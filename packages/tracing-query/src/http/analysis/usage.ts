import type { RankedRates, ReadOptions } from "storage/api";
import { spanKinds } from "wire/model";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { SearchCounts, SearchedNames } from "../../usage/search-counts.ts";
import { sampleOf, type UsageSample } from "../../usage/usage-sample.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";
import { timeFields, timeRangeOf } from "./span-filter.ts";

/** Maximum number of traces whose spans are measured: the newest of the time range. */
const sampledTraces = 100;
/** Number of names in one read of counts: the store's limit. */
const namesPerRead = 200;
/** Maximum number of counted services: those with the most spans. With more services `isWhole` is false. */
const maxServices = 2_000;
const maxAttributes = 200;

const paramsSchema = z.strictObject({
  ...timeFields,
  contains: z
    .string()
    .max(200)
    .default("")
    .describe("Only services with this part in their name, in any case."),
  limit: z.int().min(1).max(200).default(50).describe("Most services in the answer."),
  offset: z.int().min(0).max(maxServices).default(0).describe("Services before those of the answer."),
});

const readParams = paramsReader(paramsSchema);
const estimate = z.int().nullable();

const answerSchema = z
  .strictObject({
    spans: z.int().describe("Spans of all services that match: counted."),
    total: z.int().describe("Services that match, on all pages: counted."),
    isWhole: z
      .boolean()
      .describe(`False: there are over ${maxServices} services, and \`spans\` counts the largest.`),
    sample: z
      .strictObject({ traces: z.int(), spans: z.int() })
      .describe("The newest traces of the time, from which all bytes are estimated."),
    searchedSince: z.int().describe("Since when searches are counted: milliseconds since the Unix epoch."),
    searchesAreWhole: z.boolean(),
    services: z
      .array(
        z.strictObject({
          name: z.string(),
          spans: z.int().describe("Counted."),
          estimatedBytes: estimate.describe(
            "Estimated from the sample; null: the sample has no span of the service.",
          ),
          sampledSpans: z.int(),
          searches: z.int().describe("Searches that named the service."),
        }),
      )
      .describe("Most spans first."),
    attributes: z
      .array(
        z.strictObject({
          scope: z.enum(["span", "resource", "event", "link", "instrumentation"]),
          name: z.string(),
          share: z.number().describe("Its part of the bytes of the sample, 0 to 1: an estimate."),
          estimatedBytes: estimate,
          sampledSpans: z.int().describe("Spans of the sample that have it."),
          searches: z.int().describe("Searches that named the attribute, in any scope."),
        }),
      )
      .describe(`The largest ${maxAttributes} of the sample, largest first.`),
  })
  .meta({ id: "Usage" });

/** Describes the endpoint for the OpenAPI document. */
export const usageOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/usage",
  id: "getUsage",
  summary: "Who sends how much, and what nobody searches for",
  description:
    "Of the tenant of the request. Numbers of spans are counted; bytes are estimated from a sample of the newest traces, before the " +
    "store shares and packs them. Searches are those that this process answered since it began.",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { limit: "10" } },
  failingExample: { status: 400, request: { query: { limit: "0" } } },
};

/** @param counts undefined without --query.usage.enabled: then every request gets 501 */
export function usageEndpoint(
  service: QueryService,
  limits: ReadLimits,
  counts: SearchCounts | undefined,
): Endpoint {
  return async ({ params, read }) => {
    const { contains, limit, offset, ...times } = readParams(params);
    if (counts === undefined) {
      throw new QueryError("QUERY_NOT_SUPPORTED", "usage is not counted: --query.usage.enabled is not set");
    }
    const range = timeRangeOf(times, Date.now(), limits);
    const { names, matched } = await countedServices(service, { contains, ...range }, read);
    const traces = await service.traces.findPackedTraces(
      {
        startTimeMinUnixNano: range.startUnixNano,
        startTimeMaxUnixNano: range.endUnixNano,
        limit: Math.min(sampledTraces, limits.maxTraces),
      },
      read,
    );
    const sample = await sampleOf(traces);
    const searched = counts.of(read.tenant ?? "");
    const spans = names.reduce((sum, { calls }) => sum + calls, 0);
    const answer: z.output<typeof answerSchema> = {
      ...{ spans, total: matched, isWhole: matched <= names.length },
      sample: { traces: sample.traces, spans: sample.spans },
      ...{ searchedSince: counts.sinceMs, searchesAreWhole: counts.isWhole },
      services: names.slice(offset, offset + limit).map((one) => serviceJson(one, sample, searched)),
      // With `contains`, `spans` counts only some services, but the sample has spans of all: no estimate is possible.
      attributes: attributesJson(sample, contains === "" ? spans : undefined, searched),
    };
    return [JSON.stringify(answer)];
  };
}

interface Counted {
  readonly name: string;
  readonly calls: number;
}

/** Up to `maxServices` services with their numbers of spans, most first. The store answers in pages. */
async function countedServices(
  service: QueryService,
  { contains, startUnixNano, endUnixNano }: { contains: string; startUnixNano: bigint; endUnixNano: bigint },
  read: ReadOptions,
): Promise<{ names: readonly Counted[]; matched: number }> {
  const minuteMs = 60_000;
  const startUnixMs = Math.floor(Number(startUnixNano / 1_000_000n) / minuteMs) * minuteMs;
  const endUnixMs = Math.ceil((Number(endUnixNano / 1_000_000n) + 1) / minuteMs) * minuteMs;
  const stepMs = endUnixMs - startUnixMs;
  const names: Counted[] = [];
  let page: RankedRates;
  do {
    page = await service.getRankedRates(
      {
        ...{ contains, spanKinds, startUnixMs, endUnixMs, stepMs, order: "calls" },
        ...{ limit: namesPerRead, offset: names.length },
      },
      read,
    );
    names.push(...page.names.map(({ name, whole }) => ({ name, calls: Math.round(whole.calls) })));
  } while (page.names.length > 0 && names.length < Math.min(page.matched, maxServices));
  return { names, matched: page.matched };
}

function serviceJson({ name, calls }: Counted, { services }: UsageSample, searched: SearchedNames) {
  const { spans: sampledSpans, bytes } = services.get(name) ?? { spans: 0, bytes: 0 };
  return {
    ...{ name, spans: calls, sampledSpans },
    estimatedBytes: sampledSpans === 0 ? null : Math.round((bytes / sampledSpans) * calls),
    searches: searched.services.get(name) ?? 0,
  };
}

function attributesJson(sample: UsageSample, spans: number | undefined, searched: SearchedNames) {
  return [...sample.attributes.values()]
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, maxAttributes)
    .map(({ scope, name, spans: sampledSpans, bytes }) => ({
      ...{ scope, name, sampledSpans },
      share: Math.round((bytes / sample.bytes) * 10_000) / 10_000,
      estimatedBytes: spans === undefined ? null : Math.round((bytes / sample.spans) * spans),
      searches: searched.attributes.get(name) ?? 0,
    }));
}
