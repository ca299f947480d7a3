import type { handleServerStreamingCall, ServiceDefinition } from "@grpc/grpc-js";
import { StorageError, type Trace } from "storage/api";
import {
  type CapabilitiesServer,
  type DependencyReaderServer,
  type TraceReaderServer,
  traceReaderService,
} from "wire/grpc";
import type { GetTracesRequest, TraceQueryParameters } from "wire/storage-v2";
import { answer, fail } from "./call-answers.ts";
import { type CallFacts, callFactsOf } from "./call-facts.ts";
import { grpcFailureOf } from "./grpc-failure.ts";
import { isSpanKind } from "./reader-handlers.ts";
import type { RemoteStorageParts } from "./remote-storage-parts.ts";
import { sendMessages, tracesDataOf } from "./send-traces.ts";
import { dependencyQueryOf, traceQueryOfV2 } from "./trace-query.ts";

/** Maximum number of ids in one call. Clients of Jaeger send one id, or those of a search. */
const maxIds = 10_000;

type StreamHandler<Request> = handleServerStreamingCall<Request, Buffer>;
type SearchRequest = { query?: TraceQueryParameters | undefined };

/**
 * Methods of `TraceReader`. Traces are sent as encoded messages, so that the size of a message is known before it is
 * sent.
 */
export type TraceReaderHandlers = Pick<
  TraceReaderServer,
  "getServices" | "getOperations" | "findTraceIDs"
> & {
  getTraces: StreamHandler<GetTracesRequest>;
  findTraces: StreamHandler<SearchRequest>;
};

const asBytes = (bytes: Buffer): Buffer => bytes;

export const rawTraceReaderService: ServiceDefinition<TraceReaderHandlers> = {
  ...traceReaderService,
  getTraces: { ...traceReaderService.getTraces, responseSerialize: asBytes },
  findTraces: { ...traceReaderService.findTraces, responseSerialize: asBytes },
};

/**
 * Handlers of `TraceReader` of version 2. Ids without a trace are left out, and an empty answer is no failure. The
 * interval beside an id is not used: the store finds a trace by its id alone.
 */
export function traceReaderHandlers(parts: RemoteStorageParts): TraceReaderHandlers {
  const { reader } = parts.store;
  return {
    getTraces: streamHandler(parts, ({ query }, facts) => reader.getTraces(traceIdsOf(query), facts)),
    findTraces: streamHandler(parts, ({ query }, facts) => reader.findTraces(traceQueryOfV2(query), facts)),

    async findTraceIDs(call, callback) {
      await answer(call, callback, parts, async (options) => {
        const ids = await reader.findTraceIds(traceQueryOfV2(call.request.query), options);
        return {
          traceIds: ids.map((id) => ({ traceId: Buffer.from(id, "hex"), start: undefined, end: undefined })),
        };
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
          return { operations: [] };
        }
        const query = spanKind === "" ? { service } : { service, spanKind };
        const operations = await reader.getOperations(query, options);
        return { operations: operations.map(({ name, spanKind: kind }) => ({ name, spanKind: kind })) };
      });
    },
  };
}

/** Handlers of `DependencyReader` of version 2. */
export function dependencyReaderHandlers(parts: RemoteStorageParts): DependencyReaderServer {
  return {
    async getDependencies(call, callback) {
      await answer(call, callback, parts, async (options) => {
        const links = await parts.store.dependencies.getDependencies(
          dependencyQueryOf(call.request),
          options,
        );
        return {
          dependencies: links.map((link) => ({ ...link, callCount: BigInt(link.callCount) })),
        };
      });
    },
  };
}

/** Handlers of `Capabilities`. Clients call this before they know a tenant, so no tenant is required. */
export const storageCapabilitiesHandlers: CapabilitiesServer = {
  getCapabilities: (_, callback) =>
    callback(null, { search: { withoutServiceName: true, sameSpanConjunction: true } }),
};

/** A handler that streams the traces of `read`; each message has spans of one trace. */
function streamHandler<Request>(
  { tenants, log }: RemoteStorageParts,
  read: (request: Request, facts: CallFacts) => Promise<Trace[]>,
): StreamHandler<Request> {
  return async (call) => {
    const facts = callFactsOf(call, tenants);
    if ("code" in facts) {
      return fail(call, facts);
    }
    try {
      await sendMessages(call, tracesDataOf(await read(call.request, facts)), facts.signal);
    } catch (error) {
      fail(call, grpcFailureOf(error, log));
    }
  };
}

/** @throws StorageError STORAGE_BAD_QUERY for too many ids, and for an id that has not 16 bytes */
function traceIdsOf(query: GetTracesRequest["query"]): string[] {
  if (query.length > maxIds) {
    throw new StorageError("STORAGE_BAD_QUERY", `query: ${query.length} trace ids, more than ${maxIds}`);
  }
  return query.map(({ traceId }, index) => {
    if (traceId.length !== 16) {
      const message = `query[${index}].trace_id: ${traceId.length} bytes, not 16`;
      throw new StorageError("STORAGE_BAD_QUERY", message);
    }
    return traceId.toString("hex");
  });
}
