import { once } from "node:events";
import { type ServerWritableStream, status } from "@grpc/grpc-js";
import type { Logger, TenantCheck } from "lifecycle";
import type { Trace } from "storage/api";
import type { SpansResponseChunk } from "wire/api-v2";
import type { QueryServiceServer } from "wire/grpc";
import { type SpanKind, spanKinds } from "wire/model";
import type { QueryService } from "../service/query-service.ts";
import { queryOf } from "./find-request.ts";
import { type GrpcFailure, storageFailure } from "./grpc-status.ts";
import { readOptionsOf } from "./read-options-of.ts";
import { spanChunks } from "./span-chunks.ts";
import { traceIdField } from "./trace-id-field.ts";

/** grpc-js takes the status of a stream from an `error` event. */
function fail<Request>(call: ServerWritableStream<Request, SpansResponseChunk>, failure: GrpcFailure): void {
  call.emit("error", failure);
}

async function sendTraces<Request>(
  call: ServerWritableStream<Request, SpansResponseChunk>,
  traces: readonly Trace[],
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const spans of spanChunks(traces)) {
      if (!call.write({ spans })) {
        await once(call, "drain", { signal });
      }
    }
    call.end();
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}

function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

/** `QueryService` of `api_v2`. Traces go out as they were sent, not adjusted, as in the public model. */
export function queryHandlers(service: QueryService, tenants: TenantCheck, log: Logger): QueryServiceServer {
  return {
    async getTrace(call) {
      const read = readOptionsOf(call, tenants);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const traceId = traceIdField(call.request.traceId);
      if (typeof traceId !== "string") {
        fail(call, traceId);
        return;
      }
      try {
        const traces = await service.getTraces([traceId], read);
        if (traces.length === 0) {
          fail(call, { code: status.NOT_FOUND, details: "trace not found: trace not found" });
          return;
        }
        await sendTraces(call, traces, read.signal);
      } catch (error) {
        fail(call, storageFailure("failed to fetch spans from the backend", error, log));
      }
    },

    async findTraces(call) {
      const read = readOptionsOf(call, tenants);
      if ("code" in read) {
        fail(call, read);
        return;
      }
      const { query } = call.request;
      if (query === undefined) {
        fail(call, { code: status.INVALID_ARGUMENT, details: "missing query" });
        return;
      }
      try {
        await sendTraces(call, await service.findTraces(queryOf(query), read), read.signal);
      } catch (error) {
        fail(call, storageFailure("failed when searching for traces", error, log));
      }
    },

    async getServices(call, callback) {
      const read = readOptionsOf(call, tenants);
      if ("code" in read) {
        callback(read);
        return;
      }
      try {
        callback(null, { services: await service.getServices(read) });
      } catch (error) {
        callback(storageFailure("failed to fetch services", error, log));
      }
    },

    async getOperations(call, callback) {
      const read = readOptionsOf(call, tenants);
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
        const operations = await service.getOperations(name, kind, read);
        callback(null, {
          operationNames: [...new Set(operations.map((operation) => operation.name))],
          operations: operations.map((operation) => ({ name: operation.name, spanKind: operation.spanKind })),
        });
      } catch (error) {
        callback(storageFailure("failed to fetch operations", error, log));
      }
    },

    archiveTrace(call, callback) {
      const { request } = call;
      const read = readOptionsOf(call, tenants);
      if ("code" in read) {
        callback(read);
        return;
      }
      const traceId = traceIdField(request.traceId);
      callback(
        typeof traceId === "string"
          ? {
              code: status.INTERNAL,
              details: "failed to archive trace: archive span storage was not configured",
            }
          : traceId,
      );
    },

    getDependencies(call, callback) {
      const { request } = call;
      const read = readOptionsOf(call, tenants);
      if ("code" in read) {
        callback(read);
        return;
      }
      callback(
        request.startTime === undefined || request.endTime === undefined
          ? { code: status.INVALID_ARGUMENT, details: "StartTime and EndTime must be initialized." }
          : { code: status.UNIMPLEMENTED, details: "dependencies are not supported yet" },
      );
    },
  };
}
