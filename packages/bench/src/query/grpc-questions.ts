import type { MethodDefinition } from "@grpc/grpc-js";
import { queryServiceV3 } from "wire/api-v3";
import { metricsQueryService, queryService } from "wire/grpc";
import { streamingQuerier } from "wire/tempo";
import type { Samples } from "./samples.ts";

/** One kind of call over gRPC. */
export interface GrpcQuestion {
  readonly name: string;
  /** True when the public model also answers it. */
  readonly isModels: boolean;
  /** The service's path, with the package name that we use. */
  readonly path: string;
  readonly isStream: boolean;
  readonly message: (samples: Samples, attempt: number) => Buffer;
}

type Method = Pick<MethodDefinition<object, unknown>, "path" | "responseStream" | "requestSerialize">;

/** @param ask returns the request with all of its fields */
function question(
  name: string,
  isModels: boolean,
  { path, responseStream, requestSerialize }: Method,
  ask: (samples: Samples, attempt: number) => object,
): GrpcQuestion {
  const message = (samples: Samples, attempt: number) => requestSerialize(ask(samples, attempt));
  return { name: `gRPC: ${name}`, isModels, path, isStream: responseStream, message };
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const timeOf = (unixMs: number) => ({
  seconds: BigInt(Math.floor(unixMs / 1_000)),
  nanos: (unixMs % 1_000) * 1_000_000,
});
const lengthOf = (ms: number) => ({ seconds: BigInt(ms / 1_000), nanos: 0 });
const idOf = ({ traceIds }: Samples, attempt: number) => traceIds[attempt % traceIds.length] ?? "";

const lookingBack = ({ endUnixMs }: Samples) => ({
  baseRequest: {
    ...{ serviceNames: ["frontend", "checkout", "payment"], groupByOperation: true, spanKinds: [] },
    ...{ endTime: timeOf(endUnixMs), lookback: lengthOf(dayMs), step: lengthOf(60_000) },
    ratePer: lengthOf(600_000),
  },
});

const search = ({ endUnixMs }: Samples) => ({
  ...{ serviceName: "frontend", operationName: "", durationMin: undefined, durationMax: undefined },
  ...{ startTimeMin: timeOf(endUnixMs - hourMs), startTimeMax: timeOf(endUnixMs), searchDepth: 20 },
});

const tempo = ({ endUnixMs }: Samples) => ({
  start: Math.floor((endUnixMs - hourMs) / 1_000),
  end: Math.ceil(endUnixMs / 1_000),
});

/** The calls of each service for whose answer users wait. */
export const grpcQuestions: readonly GrpcQuestion[] = [
  question("services", true, queryService.getServices, () => ({})),
  question("operations", true, queryService.getOperations, () => ({ service: "frontend", spanKind: "" })),
  question("search, hour", true, queryService.findTraces, (samples) => ({
    query: { ...search(samples), tags: {} },
  })),
  question("trace by id", true, queryService.getTrace, (samples, attempt) => ({
    ...{ traceId: Buffer.from(idOf(samples, attempt), "hex"), startTime: undefined, endTime: undefined },
  })),
  question("dependencies, day", true, queryService.getDependencies, ({ endUnixMs }) => ({
    ...{ startTime: timeOf(endUnixMs - dayMs), endTime: timeOf(endUnixMs) },
  })),
  question("v3 services", true, queryServiceV3.getServices, () => ({})),
  question("v3 search, hour", true, queryServiceV3.findTraces, (samples) => ({
    query: { ...search(samples), attributes: {}, numTraces: 20 },
  })),
  question("v3 trace", true, queryServiceV3.getTrace, (samples, attempt) => ({
    ...{ traceId: idOf(samples, attempt), startTime: undefined, endTime: undefined },
  })),
  question("call rates, day", false, metricsQueryService.getCallRates, lookingBack),
  question("latencies, day", false, metricsQueryService.getLatencies, (samples) => ({
    ...{ ...lookingBack(samples), quantile: 0.95 },
  })),
  question("tempo search, hour", false, streamingQuerier.search, (samples) => ({
    ...{ ...tempo(samples), tags: {}, minDurationMs: 0, maxDurationMs: 0, limit: 20, spansPerSpanSet: 3 },
    query: "{ status = error }",
  })),
  question("tempo tag values, hour", false, streamingQuerier.searchTagValuesV2, (samples) => ({
    ...{ ...tempo(samples), tagName: "resource.service.name", query: "", maxTagValues: 0 },
  })),
];
