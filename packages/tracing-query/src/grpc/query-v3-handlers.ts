import { type ServerWritableStream, status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { PackedTrace, TraceQuery } from "storage/api";
import { parseTraceId } from "wire/api-v2";
import type { GetDependenciesRequest, QueryServiceV3Handlers, TraceQueryParameters } from "wire/api-v3";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { noFilters } from "../service/no-filters.ts";
import { defaultSearchLimit, type QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, type ReadLimits } from "../service/read-limits.ts";
import { nanosOf } from "../service/span-time.ts";
import { summarizeTraces } from "../service/trace-summary.ts";
import type { CallGuard } from "./call-guard.ts";
import { type GrpcFailure, storageFailure } from "./grpc-status.ts";
import { operationsOf } from "./operations-of.ts";
import { otlpMessages } from "./otlp-messages.ts";
import { type CallReadOptions, readOptionsOf } from "./read-options-of.ts";
import { fail, sendAll } from "./send-stream.ts";
import { unaryAnswer } from "./unary-answer.ts";

/** A call whose answer is a stream of messages that are encoded already. */
type Stream<Request> = ServerWritableStream<Request, Buffer>;

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
  /** Limits of traces and bytes in an answer. */
  readonly limits: ReadLimits;
  /** Corrections of traces, such as clock skew. */
  readonly adjust: AdjustOptions;
  /** Log of failures. */
  readonly log: Logger;
}

/**
 * `jaeger.api_v3.QueryService`: traces as OTLP, without adjusters. Error codes match the public model where it
 * has one: a missing time of a search and an unknown trace are `UNKNOWN`. A search without a query, or with a filter,
 * and `GetDependencies` without its times are `INVALID_ARGUMENT`.
 */
export function queryV3Handlers(
  service: QueryService,
  { guard, limits, adjust, log }: HandlerServices,
): QueryServiceV3Handlers {
  const answer = unaryAnswer(guard, log);

  /**
   * Sends the traces that `find` returns.
   * @param ofNone the failure when no trace is found; absent: an empty answer
   * @param gate limits how many calls read at the same time
   */
  async function send<Request>(
    call: Stream<Request>,
    what: string,
    read: CallReadOptions,
    find: () => Promise<PackedTrace[]>,
    ofNone?: GrpcFailure,
    gate = guard.gate,
  ): Promise<void> {
    let leave = () => {};
    try {
      leave = await gate.admit(read);
      const traces = await find();
      if (traces.length === 0 && ofNone !== undefined) {
        fail(call, ofNone, read);
        return;
      }
      checkSpans(traces, limits);
      await sendAll(call, otlpMessages(traces), read);
    } catch (error) {
      fail(call, storageFailure(what, error, log), read);
    } finally {
      leave();
    }
  }

  return {
    async getTrace(call) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      let traceId: string;
      try {
        traceId = parseTraceId(call.request.traceId);
      } catch (error) {
        fail(call, { code: status.UNKNOWN, details: `malform trace ID: ${(error as Error).message}` });
        return;
      }
      const find = () => service.getPackedTraces([traceId], read);
      const none = { code: status.UNKNOWN, details: "cannot retrieve trace: trace not found" };
      await send(call, "cannot retrieve trace", read, find, none, guard.gate.traces);
    },

    async findTraces(call) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const query = queryOf(call.request.query);
      if ("code" in query) {
        fail(call, query);
        return;
      }
      await send(call, "failed when searching for traces", read, async () => {
        checkLimits(query, limits);
        return await service.findPackedTraces(query, read);
      });
    },

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

    async findTraceSummaries(call) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const query = queryOf(call.request.query);
      if ("code" in query) {
        fail(call, query);
        return;
      }
      let leave = () => {};
      try {
        leave = await guard.gate.admit(read);
        checkLimits(query, limits);
        const traces = await service.findOutlines(query, read);
        checkSpans(traces, limits);
        const summaries = await summarizeTraces(traces, adjust);
        const messages = summaries.map((summary) => ({
          summaries: [{ ...summary, services: [...summary.services] }],
        }));
        await sendAll(call, messages, read);
      } catch (error) {
        fail(call, storageFailure("failed when searching for traces", error, log), read);
      } finally {
        leave();
      }
    },
  };
}
