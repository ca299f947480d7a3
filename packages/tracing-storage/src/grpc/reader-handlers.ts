import { type ServerWritableStream, status } from "@grpc/grpc-js";
import type { Logger, TenantCheck } from "lifecycle";
import type { ReadOptions, SpanReader } from "storage/api";
import type { DependenciesReaderPluginServer } from "wire/grpc";
import { type SpanKind, spanKinds } from "wire/model";
import { callFactsOf } from "./call-facts.ts";
import { type GrpcFailure, grpcFailureOf } from "./grpc-failure.ts";
import type { GetTraceHandler, SpanReaderHandlers } from "./raw-services.ts";
import type { RemoteStorageParts } from "./remote-storage-parts.ts";
import { sendTraces } from "./send-traces.ts";
import { traceIdOf } from "./trace-id-of.ts";
import { timeOf, traceQueryOf } from "./trace-query.ts";

/** The public model's text, by which its client recognizes a missing trace. */
const notFound: GrpcFailure = { code: status.NOT_FOUND, details: "trace not found" };
const noQuery: GrpcFailure = { code: status.INVALID_ARGUMENT, details: "missing query" };

/** Services for a call, in addition to the store. */
interface CallParts {
  readonly tenants: TenantCheck;
  readonly log: Logger;
}

/** Ends a stream with a status, which grpc-js takes from an `error` event. */
function fail<Request>(call: ServerWritableStream<Request, Buffer>, failure: GrpcFailure): void {
  call.emit("error", failure);
}

/**
 * Answers a call with the result of `read`. If the call names no tenant although one is required, it gets a failure,
 * and `read` is not called.
 */
async function answer<Answer>(
  call: Parameters<typeof callFactsOf>[0],
  callback: (error: GrpcFailure | null, answer?: Answer) => void,
  { tenants, log }: CallParts,
  read: (options: ReadOptions) => Promise<Answer>,
): Promise<void> {
  const facts = callFactsOf(call, tenants);
  if ("code" in facts) {
    return callback(facts);
  }
  await read(facts).then(
    (found) => callback(null, found),
    (error: unknown) => callback(grpcFailureOf(error, log)),
  );
}

/** Streams the requested trace, from the store or from the archive. */
export function getTraceHandler(reader: Pick<SpanReader, "getTraces">, parts: CallParts): GetTraceHandler {
  return async (call) => {
    const facts = callFactsOf(call, parts.tenants);
    if ("code" in facts) {
      return fail(call, facts);
    }
    try {
      const traces = await reader.getTraces([traceIdOf(call.request.traceId)], facts);
      if (traces.length === 0) {
        return fail(call, notFound);
      }
      await sendTraces(call, traces, facts.signal);
    } catch (error) {
      fail(call, grpcFailureOf(error, parts.log));
    }
  };
}

/** Handlers of `SpanReaderPlugin`. */
export function spanReaderHandlers({ store, tenants, log }: RemoteStorageParts): SpanReaderHandlers {
  const { reader } = store;
  const parts = { tenants, log };
  return {
    getTrace: getTraceHandler(reader, parts),

    async findTraces(call) {
      const facts = callFactsOf(call, tenants);
      if ("code" in facts) {
        return fail(call, facts);
      }
      const { query } = call.request;
      if (query === undefined) {
        return fail(call, noQuery);
      }
      try {
        await sendTraces(call, await reader.findTraces(traceQueryOf(query), facts), facts.signal);
      } catch (error) {
        fail(call, grpcFailureOf(error, log));
      }
    },

    async findTraceIDs(call, callback) {
      const { query } = call.request;
      if (query === undefined) {
        return callback(noQuery);
      }
      await answer(call, callback, parts, async (options) => {
        const ids = await reader.findTraceIds(traceQueryOf(query), options);
        return { traceIds: ids.map((id) => Buffer.from(id, "hex")) };
      });
    },

    async getServices(call, callback) {
      await answer(call, callback, parts, async (options) => ({
        services: await reader.getServices(options),
      }));
    },

    async getOperations(call, callback) {
      const { service, spanKind } = call.request;
      await answer(call, callback, parts, async (options) => {
        if (spanKind !== "" && !isSpanKind(spanKind)) {
          return { operationNames: [], operations: [] };
        }
        const query = spanKind === "" ? { service } : { service, spanKind };
        const operations = await reader.getOperations(query, options);
        return {
          operationNames: [...new Set(operations.map(({ name }) => name))],
          operations: operations.map(({ name, spanKind: kind }) => ({ name, spanKind: kind })),
        };
      });
    },
  };
}

/** True for a known kind. An unknown kind has no operations, but is not a fault of the request. */
function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

/** Handlers of `DependenciesReaderPlugin`. An absent time means no bound. */
export function dependenciesReaderHandlers({
  store,
  tenants,
  log,
}: RemoteStorageParts): DependenciesReaderPluginServer {
  return {
    async getDependencies(call, callback) {
      const { startTime, endTime } = call.request;
      const query = {
        startUnixNano: timeOf(startTime) ?? 0n,
        endUnixNano: timeOf(endTime) ?? BigInt(Date.now()) * 1_000_000n,
      };
      await answer(call, callback, { tenants, log }, async (options) => {
        const links = await store.dependencies.getDependencies(query, options);
        return {
          dependencies: links.map((link) => ({ ...link, callCount: BigInt(link.callCount) })),
        };
      });
    },
  };
}
