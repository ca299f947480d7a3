import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { PackedTrace } from "storage/api";
import type { SpansResponseChunk } from "wire/api-v2";
import type { QueryServiceServer } from "wire/grpc";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, type ReadLimits } from "../service/read-limits.ts";
import { isUnset, nanosOf } from "../service/span-time.ts";
import type { CallGuard } from "./call-guard.ts";
import { queryOf } from "./find-request.ts";
import { storageFailure } from "./grpc-status.ts";
import { operationsOf } from "./operations-of.ts";
import { readOptionsOf } from "./read-options-of.ts";
import { fail, sendAll } from "./send-stream.ts";
import { spanChunks } from "./span-chunks.ts";
import { traceIdField } from "./trace-id-field.ts";
import { unaryAnswer } from "./unary-answer.ts";

// The public model's failure, with its repeated words.
const notFound = { code: status.NOT_FOUND, details: "trace not found: trace not found" };

/** Messages of a stream, made while the client reads them. */
function* messagesOf(traces: readonly PackedTrace[]): Generator<SpansResponseChunk> {
  for (const spans of spanChunks(traces)) {
    yield { spans };
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof QueryError && error.code === "QUERY_TRACE_NOT_FOUND";
}

/**
 * `jaeger.api_v2.QueryService`, in the form of Jaeger 1.62. Traces are sent as stored, without adjusters, as in
 * the public model.
 *
 * | Method | Answer | Failures, besides tenant and store errors |
 * |---|---|---|
 * | `GetTrace` | a stream of chunks of spans | `NOT_FOUND`; a malformed id |
 * | `FindTraces` | the same, for all traces found | `INVALID_ARGUMENT` without a query |
 * | `GetServices` | names | |
 * | `GetOperations` | operations, and their names once each | |
 * | `ArchiveTrace` | an empty message | `NOT_FOUND` |
 * | `GetDependencies` | links with numbers of calls | `INVALID_ARGUMENT` without both times |
 */
export function queryHandlers(
  service: QueryService,
  guard: CallGuard,
  limits: ReadLimits,
  log: Logger,
): QueryServiceServer {
  const answer = unaryAnswer(guard, log);
  return {
    async getTrace(call) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const traceId = traceIdField(call.request.traceId, "stream");
      if (typeof traceId !== "string") {
        fail(call, traceId);
        return;
      }
      let leave = () => {};
      try {
        // Reads by trace id queue separately, so they do not wait for searches.
        leave = await guard.gate.traces.admit(read);
        const traces = await service.getPackedTraces([traceId], read);
        if (traces.length === 0) {
          fail(call, notFound, read);
          return;
        }
        checkSpans(traces, limits);
        await sendAll(call, messagesOf(traces), read);
      } catch (error) {
        fail(call, storageFailure("failed to fetch spans from the backend", error, log), read);
      } finally {
        leave();
      }
    },

    async findTraces(call) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const { query } = call.request;
      if (query === undefined) {
        fail(call, { code: status.INVALID_ARGUMENT, details: "missing query" });
        return;
      }
      let leave = () => {};
      try {
        const search = queryOf(query);
        checkLimits(search, limits);
        leave = await guard.gate.admit(read);
        const traces = await service.findPackedTraces(search, read);
        checkSpans(traces, limits);
        await sendAll(call, messagesOf(traces), read);
      } catch (error) {
        fail(call, storageFailure("failed when searching for traces", error, log), read);
      } finally {
        leave();
      }
    },

    getServices: (call, callback) =>
      answer(call, callback, "failed to fetch services", async (read) => ({
        services: [...(await service.names.getServices(read))],
      })),

    getOperations: (call, callback) =>
      answer(call, callback, "failed to fetch operations", async (read) => {
        const operations = [...(await operationsOf(service.names, call.request, read))];
        return { operationNames: [...new Set(operations.map(({ name }) => name))], operations };
      }),

    archiveTrace: (call, callback) =>
      answer(call, callback, "failed to archive trace", async (read) => {
        const traceId = traceIdField(call.request.traceId, "unary");
        if (typeof traceId !== "string") {
          return traceId;
        }
        const leave = await guard.gate.traces.admit(read);
        try {
          await service.archiveTrace(traceId, read);
          return {};
        } catch (error) {
          if (isNotFound(error)) {
            return notFound;
          }
          throw error;
        } finally {
          leave();
        }
      }),

    getDependencies: (call, callback) =>
      answer(call, callback, "failed to fetch dependencies", async (read) => {
        const { startTime, endTime } = call.request;
        if (isUnset(startTime) || isUnset(endTime)) {
          return { code: status.INVALID_ARGUMENT, details: "StartTime and EndTime must be initialized." };
        }
        // The public model searches the time before the start here, which is a bug.
        const range = { startUnixNano: nanosOf(startTime), endUnixNano: nanosOf(endTime) };
        const links = await service.getDependencies(range, read);
        return { dependencies: links.map((link) => ({ ...link, callCount: BigInt(link.callCount) })) };
      }),
  };
}
