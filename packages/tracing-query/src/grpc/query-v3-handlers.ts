import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { TraceQuery } from "storage/api";
import { parseTraceId } from "wire/api-v2";
import type { GetDependenciesRequest, QueryServiceV3Handlers, TraceQueryParameters } from "wire/api-v3";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { noFilters } from "../service/no-filters.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, defaultSearchLimit, type ReadLimits } from "../service/read-limits.ts";
import { nanosOf } from "../service/span-time.ts";
import { summarizeTraces } from "../service/trace-summary.ts";
import type { CallGuard } from "./call-guard.ts";
import { type GrpcFailure, storageFailure } from "./grpc-status.ts";
import { operationsOf } from "./operations-of.ts";
import { otlpMessages } from "./otlp-messages.ts";
import { streamAnswer } from "./stream-answer.ts";
import { unaryAnswer } from "./unary-answer.ts";

/** Jaeger's failure for a trace that is not there. */
const notFound = { code: status.UNKNOWN, details: "cannot retrieve trace: trace not found" };

/** Jaeger's words for a search that fails. */
const searchFailed = "failed when searching for traces";

/** @returns the search, or its failure when a required time is missing */
function queryOf(parameters: TraceQueryParameters | undefined): TraceQuery | GrpcFailure {
  if (parameters === undefined) {
    return { code: status.INVALID_ARGUMENT, details: "missing query" };
  }
  const { startTimeMin, startTimeMax, numTraces } = parameters;
  if (startTimeMin === undefined || startTimeMax === undefined) {
    return { code: status.UNKNOWN, details: "start time min and max are required parameters" };
  }
  if (parameters.filter !== undefined) {
    return { code: status.INVALID_ARGUMENT, details: noFilters("filter") };
  }
  return {
    service: parameters.serviceName,
    operation: parameters.operationName,
    tags: new Map(Object.entries(parameters.attributes)),
    startTimeMinUnixNano: nanosOf(startTimeMin),
    startTimeMaxUnixNano: nanosOf(startTimeMax),
    durationMinNano: nanosOf(parameters.durationMin),
    durationMaxNano: nanosOf(parameters.durationMax),
    limit: numTraces > 0 ? numTraces : defaultSearchLimit,
  };
}

/** @returns the fault of the times; undefined when they are good */
function problemOfTimes({ startTime, endTime }: GetDependenciesRequest): string | undefined {
  if (startTime === undefined) {
    return "start_time is required";
  }
  if (endTime === undefined) {
    return "end_time is required";
  }
  return nanosOf(endTime) > nanosOf(startTime) ? undefined : "end_time must be after start_time";
}

/** Services that all calls share. */
interface HandlerServices {
  /** Checks tenants, and limits concurrent calls. */
  readonly guard: CallGuard;
  /** Maximum number of traces, spans and bytes of one answer. */
  readonly limits: ReadLimits;
  /** Options for adjusting traces, such as clock skew. */
  readonly adjust: AdjustOptions;
  /** Log of failures. */
  readonly log: Logger;
}

/**
 * `jaeger.api_v3.QueryService`: traces as OTLP, without adjusters. Error codes match Jaeger where it
 * has one: a missing time of a search and an unknown trace are `UNKNOWN`. A search without a query, or with a filter,
 * and `GetDependencies` without its times are `INVALID_ARGUMENT`.
 */
export function queryV3Handlers(service: QueryService, services: HandlerServices): QueryServiceV3Handlers {
  const { guard, log } = services;
  const answer = unaryAnswer(guard, log);
  return {
    ...traceStreams(service, services),
    findTraceSummaries: summariesHandler(service, services),

    getServices: (call, callback) =>
      answer(call, callback, "failed to fetch services", async (read) => ({
        services: [...(await service.names.getServices(read))],
      })),

    getOperations: (call, callback) =>
      answer(call, callback, "failed to fetch operations", async (read) => ({
        operations: [...(await operationsOf(service.names, call.request, read))],
      })),

    getDependencies: (call, callback) =>
      answer(call, callback, "failed to fetch dependencies", async (read) => {
        const { startTime, endTime } = call.request;
        const problem = problemOfTimes(call.request);
        if (problem !== undefined) {
          return { code: status.INVALID_ARGUMENT, details: problem };
        }
        const query = { startUnixNano: nanosOf(startTime), endUnixNano: nanosOf(endTime) };
        const links = await service.getDependencies(query, read);
        return {
          dependencies: links.map(({ parent, child, callCount }) => ({
            parent,
            child,
            callCount: BigInt(callCount),
          })),
        };
      }),
  };
}

/** `GetTrace` and `FindTraces`: the calls that stream traces as OTLP. */
function traceStreams(
  service: QueryService,
  { guard, limits, log }: HandlerServices,
): Pick<QueryServiceV3Handlers, "getTrace" | "findTraces"> {
  const stream = streamAnswer(guard);
  const failureOf = (what: string) => (error: unknown) => storageFailure(what, error, log);
  return {
    getTrace: (call) =>
      stream(
        call,
        (read) => {
          const traceId = traceIdOf(call.request.traceId);
          if (typeof traceId !== "string") {
            return traceId;
          }
          const find = async () => {
            const traces = await service.traces.getPackedTraces([traceId], read);
            checkSpans(traces, limits);
            return traces.length === 0 ? notFound : otlpMessages(traces);
          };
          return { gate: guard.gate.traces, find };
        },
        failureOf("cannot retrieve trace"),
      ),

    findTraces: (call) =>
      stream(
        call,
        (read) => {
          const query = queryOf(call.request.query);
          if ("code" in query) {
            return query;
          }
          const find = async () => {
            checkLimits(query, limits);
            const traces = await service.traces.findPackedTraces(query, read);
            checkSpans(traces, limits);
            return otlpMessages(traces);
          };
          return { gate: guard.gate, find };
        },
        failureOf(searchFailed),
      ),
  };
}

/** `FindTraceSummaries`: a search for a list of traces, a message for each trace. */
function summariesHandler(
  service: QueryService,
  { guard, limits, adjust, log }: HandlerServices,
): QueryServiceV3Handlers["findTraceSummaries"] {
  const stream = streamAnswer(guard);
  return (call) =>
    stream(
      call,
      (read) => {
        const query = queryOf(call.request.query);
        if ("code" in query) {
          return query;
        }
        const find = async () => {
          checkLimits(query, limits);
          const traces = await service.traces.findOutlines(query, read);
          checkSpans(traces, limits);
          const summaries = await summarizeTraces(traces, adjust);
          return summaries.map((summary) => ({
            summaries: [{ ...summary, services: [...summary.services] }],
          }));
        };
        return { gate: guard.gate, find };
      },
      (error) => storageFailure(searchFailed, error, log),
    );
}

/** @returns 32 hex digits, or the failure in Jaeger's words */
function traceIdOf(text: string): string | GrpcFailure {
  try {
    return parseTraceId(text);
  } catch (error) {
    return { code: status.UNKNOWN, details: `malform trace ID: ${(error as Error).message}` };
  }
}
