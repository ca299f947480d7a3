import { type ServerWritableStream, status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { PackedTrace, TraceQuery } from "storage/api";
import { parseTraceId } from "wire/api-v2";
import type { QueryServiceV3Handlers, TraceQueryParameters } from "wire/api-v3";
import { defaultSearchLimit, type QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, type ReadLimits } from "../service/read-limits.ts";
import { nanosOf } from "../service/span-time.ts";
import type { CallGuard } from "./call-guard.ts";
import { type GrpcFailure, storageFailure } from "./grpc-status.ts";
import { operationsOf } from "./operations-of.ts";
import { otlpMessages } from "./otlp-messages.ts";
import { type CallReadOptions, readOptionsOf } from "./read-options-of.ts";
import { fail, sendAll } from "./send-stream.ts";
import { unaryAnswer } from "./unary-answer.ts";

type Stream<Request> = ServerWritableStream<Request, Buffer>;

/** @returns undefined when a required time is missing */
function queryOf(parameters: TraceQueryParameters): TraceQuery | undefined {
  const { startTimeMin, startTimeMax, numTraces } = parameters;
  if (startTimeMin === undefined || startTimeMax === undefined) {
    return undefined;
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

/**
 * `QueryService` of `api_v3`: traces as OTLP, without adjusters. Error codes are those of the public model
 * where it has one.
 */
export function queryV3Handlers(
  service: QueryService,
  guard: CallGuard,
  limits: ReadLimits,
  log: Logger,
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
      leave = await gate.enter(read.signal, read.tenant);
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
      const { query: parameters } = call.request;
      if (parameters === undefined) {
        fail(call, { code: status.INVALID_ARGUMENT, details: "missing query" });
        return;
      }
      const query = queryOf(parameters);
      if (query === undefined) {
        fail(call, { code: status.UNKNOWN, details: "start time min and max are required parameters" });
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
  };
}
