import { isUnsupported } from "storage/errors";
import { parseTraceQl } from "traceql";
import { z } from "zod";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { ViewStore } from "../../service/view-store.ts";
import type { Endpoint, EndpointRequest } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";

// The endpoint has no parameters; any parameter is a client error, 400.
const readNothing = paramsReader(z.strictObject({}));

const answerSchema = z
  .strictObject({
    version: z.literal(1),
    endpoints: z
      .strictObject({
        heatmap: z.boolean(),
        compare: z.boolean(),
        percentiles: z.boolean(),
        topOperations: z.boolean(),
        criticalPath: z.boolean().describe("Over a search; that of one trace works with every store."),
        diff: z.boolean(),
        tail: z.boolean(),
        views: z.boolean().describe("Saved views, short links and notes."),
        traceql: z.boolean().describe("The parameter `q`, and `/tempo`."),
      })
      .describe("Which of them this server's store can answer; others are 501."),
    limits: z
      .strictObject({
        maxTraces: z.int().nullable(),
        maxSpans: z.int().nullable(),
        maxTimeRange: z.int().nullable().describe("Microseconds."),
      })
      .describe("Of one request; null where there is none."),
  })
  .meta({ id: "AnalysisCapabilities" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a server. */
export const capabilitiesOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/capabilities",
  id: "getAnalysisCapabilities",
  summary: "What this server can analyse",
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400],
  example: {},
  failingExample: { status: 400, request: { query: { what: "all" } } },
};

/**
 * Creates a function that tells if the store supports TraceQL. The first call sends the store a query over one
 * nanosecond of 1970, which finds nothing. Later calls reuse the result for the life of the process. A failure other
 * than STORAGE_UNSUPPORTED is not cached, so the next call asks again.
 */
function traceQlProbe({ search }: QueryService): (read: EndpointRequest["read"]) => Promise<boolean> {
  const query = parseTraceQl("{ }");
  const range = { startUnixNano: 0n, endUnixNano: 1n };
  let isSupported: boolean | undefined;
  return async (read) => {
    try {
      if (isSupported === undefined) {
        await search.search({ query, range, limit: 1, spansPerSpanset: 1 }, read);
        isSupported = true;
      }
    } catch (error) {
      if (!isUnsupported(error)) {
        throw error;
      }
      isSupported = false;
    }
    return isSupported;
  };
}

/**
 * `GET …/capabilities`: the questions that this server can answer, and its limits. The UI hides pages that the store
 * does not support. This is an API of our own.
 *
 * ```
 * {"version": 1,
 *  "endpoints": {"heatmap": true, "compare": true, "percentiles": true, "topOperations": true, "criticalPath": true,
 *                "diff": true, "tail": true, "views": true, "traceql": true},
 *  "limits": {"maxTraces": 10000, "maxSpans": 1000000, "maxTimeRange": null}}
 * ```
 *
 * Errors: 400 for any parameter.
 */
export function capabilitiesEndpoint(service: QueryService, limits: ReadLimits, views: ViewStore): Endpoint {
  const { maxTraces, maxSpans, maxRangeNano } = limits;
  const hasTraceQl = traceQlProbe(service);
  // JSON has no infinity, so "no limit" is null.
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  return async ({ params, read }) => {
    readNothing(params);
    const isSupported = await service.analysis.isSupported(read);
    const answer: z.output<typeof answerSchema> = {
      version: 1,
      endpoints: {
        heatmap: isSupported,
        compare: isSupported,
        percentiles: isSupported,
        topOperations: isSupported,
        criticalPath: isSupported,
        diff: true,
        tail: isSupported,
        views: views.isKept,
        traceql: await hasTraceQl(read),
      },
      limits: {
        maxTraces: finite(maxTraces),
        maxSpans: finite(maxSpans),
        maxTimeRange: maxRangeNano === undefined ? null : Number(maxRangeNano / 1_000n),
      },
    };
    return [JSON.stringify(answer)];
  };
}
