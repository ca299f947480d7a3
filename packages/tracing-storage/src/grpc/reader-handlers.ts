import { status } from "@grpc/grpc-js";
import type { SpanReader } from "storage/api";
import type { DependenciesReaderPluginServer } from "wire/grpc";
import { type SpanKind, spanKinds } from "wire/model";
import { answer, type CallParts, fail } from "./call-answers.ts";
import { callFactsOf } from "./call-facts.ts";
import { type GrpcFailure, grpcFailureOf } from "./grpc-failure.ts";
import type { GetTraceHandler, SpanReaderHandlers } from "./raw-services.ts";
import type { RemoteStorageParts } from "./remote-storage-parts.ts";
import { chunksOf, sendMessages } from "./send-traces.ts";
import { traceIdOf } from "./trace-id-of.ts";
import { dependencyQueryOf, traceQueryOf } from "./trace-query.ts";

/** Jaeger's text, by which its client recognizes a missing trace. */
const notFound: GrpcFailure = { code: status.NOT_FOUND, details: "trace not found" };
const noQuery: GrpcFailure = { code: status.INVALID_ARGUMENT, details: "missing query" };

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
      await sendMessages(call, chunksOf(traces), facts.signal);
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
        const traces = await reader.findTraces(traceQueryOf(query), facts);
        await sendMessages(call, chunksOf(traces), facts.signal);
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
export function isSpanKind(text: string): text is SpanKind {
  return (spanKinds as readonly string[]).includes(text);
}

/** Handlers of `DependenciesReaderPlugin`. */
export function dependenciesReaderHandlers({
  store,
  tenants,
  log,
}: RemoteStorageParts): DependenciesReaderPluginServer {
  return {
    async getDependencies(call, callback) {
      await answer(call, callback, { tenants, log }, async (options) => {
        const links = await store.dependencies.getDependencies(dependencyQueryOf(call.request), options);
        return {
          dependencies: links.map((link) => ({ ...link, callCount: BigInt(link.callCount) })),
        };
      });
    },
  };
}
