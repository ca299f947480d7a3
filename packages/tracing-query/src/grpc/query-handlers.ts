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
import { spanChunks } from "./span-chunks.ts";
import { streamAnswer } from "./stream-answer.ts";
import { traceIdField } from "./trace-id-field.ts";
import { type UnaryAnswer, unaryAnswer } from "./unary-answer.ts";

// Jaeger's failure, with its repeated words.
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
 * Jaeger.
 *
 * | Method | Answer | Failures, besides tenant and store errors |
 * |---|---|---|
 * | `GetTrace` | a stream of chunks of spans | `NOT_FOUND`; a malformed id |
 * | `FindTraces` | the same, for all found traces | `INVALID_ARGUMENT` without a query |
 * | `GetServices` | names | |
 * | `GetOperations` | operations, and their distinct names | |
 * | `ArchiveTrace` | an empty message | `NOT_FOUND` |
 * | `GetDependencies` | links with call counts | `INVALID_ARGUMENT` when a time is missing |
 */
export function queryHandlers(
  service: QueryService,
  guard: CallGuard,
  limits: ReadLimits,
  log: Logger,
): QueryServiceServer {
  const answer = unaryAnswer(guard, log);
  return {
    ...traceStreams(service, guard, limits, log),
    archiveTrace: archiveHandler(service, guard, answer),
    getDependencies: dependenciesHandler(service, answer),

    getServices: (call, callback) =>
      answer(call, callback, "failed to fetch services", async (read) => ({
        services: [...(await service.names.getServices(read))],
      })),

    getOperations: (call, callback) =>
      answer(call, callback, "failed to fetch operations", async (read) => {
        const operations = [...(await operationsOf(service.names, call.request, read))];
        return { operationNames: [...new Set(operations.map(({ name }) => name))], operations };
      }),
  };
}

/** `GetTrace` and `FindTraces`: the calls that stream traces. */
function traceStreams(
  service: QueryService,
  guard: CallGuard,
  limits: ReadLimits,
  log: Logger,
): Pick<QueryServiceServer, "getTrace" | "findTraces"> {
  const stream = streamAnswer(guard);
  const failureOf = (what: string) => (error: unknown) => storageFailure(what, error, log);
  return {
    getTrace: (call) =>
      stream(
        call,
        (read) => {
          const traceId = traceIdField(call.request.traceId, "stream");
          if (typeof traceId !== "string") {
            return traceId;
          }
          const find = async () => {
            const traces = await service.traces.getPackedTraces([traceId], read);
            checkSpans(traces, limits);
            return traces.length === 0 ? notFound : messagesOf(traces);
          };
          // Reads by trace id queue separately, so they do not wait for searches.
          return { gate: guard.gate.traces, find };
        },
        failureOf("failed to fetch spans from the backend"),
      ),

    findTraces: (call) =>
      stream(
        call,
        (read) => {
          const { query } = call.request;
          if (query === undefined) {
            return { code: status.INVALID_ARGUMENT, details: "missing query" };
          }
          const search = queryOf(query);
          checkLimits(search, limits);
          const find = async () => {
            const traces = await service.traces.findPackedTraces(search, read);
            checkSpans(traces, limits);
            return messagesOf(traces);
          };
          return { gate: guard.gate, find };
        },
        failureOf("failed when searching for traces"),
      ),
  };
}

/** `ArchiveTrace`: holds a place while the trace is copied. */
function archiveHandler(
  service: QueryService,
  { gate }: CallGuard,
  answer: UnaryAnswer,
): QueryServiceServer["archiveTrace"] {
  return (call, callback) =>
    answer(call, callback, "failed to archive trace", async (read) => {
      const traceId = traceIdField(call.request.traceId, "unary");
      if (typeof traceId !== "string") {
        return traceId;
      }
      const leave = await gate.traces.admit(read);
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
    });
}

/** `GetDependencies`: calls between services in the time from `start_time` to `end_time`. */
function dependenciesHandler(
  service: QueryService,
  answer: UnaryAnswer,
): QueryServiceServer["getDependencies"] {
  return (call, callback) =>
    answer(call, callback, "failed to fetch dependencies", async (read) => {
      const { startTime, endTime } = call.request;
      if (isUnset(startTime) || isUnset(endTime)) {
        return { code: status.INVALID_ARGUMENT, details: "StartTime and EndTime must be initialized." };
      }
      // Jaeger searches the time before the start here, which is a bug.
      const range = { startUnixNano: nanosOf(startTime), endUnixNano: nanosOf(endTime) };
      const links = await service.getDependencies(range, read);
      return { dependencies: links.map((link) => ({ ...link, callCount: BigInt(link.callCount) })) };
    });
}
