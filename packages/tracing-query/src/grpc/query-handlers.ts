import { status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { PackedTrace } from "storage/api";
import type { SpansResponseChunk } from "wire/api-v2";
import type { QueryServiceServer } from "wire/grpc";
import { type SpanKind, spanKinds } from "wire/model";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, type ReadLimits } from "../service/read-limits.ts";
import { nanosOf } from "../service/span-time.ts";
import type { CallGuard } from "./call-guard.ts";
import { queryOf } from "./find-request.ts";
import { storageFailure } from "./grpc-status.ts";
import { readOptionsOf } from "./read-options-of.ts";
import { fail, sendAll } from "./send-stream.ts";
import { spanChunks } from "./span-chunks.ts";
import { traceIdField } from "./trace-id-field.ts";

function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

function* messagesOf(traces: readonly PackedTrace[]): Generator<SpansResponseChunk> {
  for (const spans of spanChunks(traces)) {
    yield { spans };
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof QueryError && error.code === "QUERY_TRACE_NOT_FOUND";
}

/** `QueryService` of `api_v2`. Traces go out as they were sent, not adjusted, as in the public model. */
export function queryHandlers(
  service: QueryService,
  guard: CallGuard,
  limits: ReadLimits,
  log: Logger,
): QueryServiceServer {
  return {
    async getTrace(call) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const traceId = traceIdField(call.request.traceId);
      if (typeof traceId !== "string") {
        fail(call, traceId);
        return;
      }
      let leave = () => {};
      try {
        leave = await guard.gate.enter(read.signal);
        const traces = await service.getPackedTraces([traceId], read);
        if (traces.length === 0) {
          fail(call, { code: status.NOT_FOUND, details: "trace not found: trace not found" });
          return;
        }
        checkSpans(traces, limits);
        await sendAll(call, messagesOf(traces), read.signal);
      } catch (error) {
        fail(call, storageFailure("failed to fetch spans from the backend", error, log));
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
        leave = await guard.gate.enter(read.signal);
        const traces = await service.findPackedTraces(search, read);
        checkSpans(traces, limits);
        await sendAll(call, messagesOf(traces), read.signal);
      } catch (error) {
        fail(call, storageFailure("failed when searching for traces", error, log));
      } finally {
        leave();
      }
    },

    async getServices(call, callback) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        callback(read);
        return;
      }
      try {
        callback(null, { services: [...(await service.names.getServices(read))] });
      } catch (error) {
        callback(storageFailure("failed to fetch services", error, log));
      }
    },

    async getOperations(call, callback) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        callback(read);
        return;
      }
      const { service: name, spanKind } = call.request;
      if (spanKind !== "" && !isSpanKind(spanKind)) {
        callback(null, { operationNames: [], operations: [] }); // A kind that no span has.
        return;
      }
      try {
        const kind = spanKind === "" ? undefined : spanKind;
        const operations = await service.names.getOperations(name, kind, read);
        callback(null, {
          operationNames: [...new Set(operations.map((operation) => operation.name))],
          operations: operations.map((operation) => ({ name: operation.name, spanKind: operation.spanKind })),
        });
      } catch (error) {
        callback(storageFailure("failed to fetch operations", error, log));
      }
    },

    async archiveTrace(call, callback) {
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        callback(read);
        return;
      }
      const traceId = traceIdField(call.request.traceId);
      if (typeof traceId !== "string") {
        callback(traceId);
        return;
      }
      let leave = () => {};
      try {
        leave = await guard.gate.enter(read.signal);
        await service.archiveTrace(traceId, read);
        callback(null, {});
      } catch (error) {
        callback(
          isNotFound(error)
            ? { code: status.NOT_FOUND, details: "trace not found: trace not found" }
            : storageFailure("failed to archive trace", error, log),
        );
      } finally {
        leave();
      }
    },

    async getDependencies(call, callback) {
      const { startTime, endTime } = call.request;
      const read = readOptionsOf(call, guard);
      if ("code" in read) {
        callback(read);
        return;
      }
      if (startTime === undefined || endTime === undefined) {
        callback({ code: status.INVALID_ARGUMENT, details: "StartTime and EndTime must be initialized." });
        return;
      }
      try {
        // The public model looks at the time before the start, by mistake.
        const links = await service.getDependencies(
          { startUnixNano: nanosOf(startTime), endUnixNano: nanosOf(endTime) },
          read,
        );
        callback(null, {
          dependencies: links.map((link) => ({ ...link, callCount: BigInt(link.callCount) })),
        });
      } catch (error) {
        callback(storageFailure("failed to fetch dependencies", error, log));
      }
    },
  };
}
