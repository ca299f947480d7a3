import { z } from "zod";
import type { AnalysisService } from "../../service/analysis-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";

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

/** `GET …/capabilities` */
export function capabilitiesEndpoint(analysis: AnalysisService, limits: ReadLimits): Endpoint {
  const { maxTraces, maxSpans, maxRangeNano } = limits;
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  return async ({ params, read }) => {
    readNothing(params);
    const isSupported = await analysis.isSupported(read);
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
