import type { Span, SpanKind } from "wire/model";
import { decodeTraceChunk } from "wire/storage-v2";
import { checkSearch, checkTexts, distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { Operation, ReadOptions, SpanReader, Trace, TraceQuery } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { isNotImplemented } from "./grpc-errors.ts";
import { idTexts, operationsOf, sortedNames } from "./grpc-span-reader.ts";
import { newestFirst } from "./newest-match.ts";
import { inParallel } from "./parallel.ts";
import { queryMessageV2 } from "./query-message.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import { remoteMethodsV2 } from "./remote-methods.ts";

/**
 * Maximum number of ids in one call, and of concurrent calls. Servers read the traces of a call one after the other.
 */
const idsPerCall = 50;
const maxCalls = 4;

/**
 * Reads over version 2 of the API, whose spans are OTLP's. The class adds what servers may omit: sort order, limit, and
 * unknown kinds.
 */
export class GrpcSpanReaderV2 implements SpanReader {
  readonly #calls: RemoteCalls;
  readonly #maxReadBytes: number;

  constructor(calls: RemoteCalls, maxReadBytes: number) {
    this.#calls = calls;
    this.#maxReadBytes = maxReadBytes;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const ids = distinctTraceIds(traceIds);
    tenantOf(options);
    const budget = { bytes: this.#maxReadBytes };
    const spans: Span[] = [];
    await inParallel(batchesOf(ids), maxCalls, async (batch) => {
      const query = batch.map((id) => ({
        ...{ traceId: Buffer.from(id, "hex"), startTime: undefined, endTime: undefined },
      }));
      await this.#calls.download(remoteMethodsV2.getTraces, { query }, { options, budget }, (message) =>
        append(spans, message),
      );
    });
    return tracesInOrder(ids, spans);
  }

  async findTraces(query: TraceQuery, options: ReadOptions = {}): Promise<Trace[]> {
    checkSearch(query);
    const spans: Span[] = [];
    await this.#calls.download(
      remoteMethodsV2.findTraces,
      { query: queryMessageV2(query) },
      { options, budget: { bytes: this.#maxReadBytes } },
      (message) => append(spans, message),
    );
    const ids = [...new Set(spans.map(({ traceId }) => traceId))];
    return newestFirst(tracesInOrder(ids, spans), query).slice(0, query.limit);
  }

  /**
   * Ids in the server's order, which is newest first for most servers. If the server does not support the call for ids,
   * whole traces are read.
   */
  async findTraceIds(query: TraceQuery, options: ReadOptions = {}): Promise<string[]> {
    checkSearch(query);
    try {
      const request = { query: queryMessageV2(query) };
      const { traceIds } = await this.#calls.unary(remoteMethodsV2.findTraceIds, request, options);
      return idTexts(
        traceIds.map(({ traceId }) => traceId),
        query.limit,
      );
    } catch (error) {
      if (!isNotImplemented(error)) {
        throw error;
      }
      return (await this.findTraces(query, options)).map(({ traceId }) => traceId);
    }
  }

  async getServices(options: ReadOptions = {}): Promise<string[]> {
    const { services } = await this.#calls.unary(remoteMethodsV2.getServices, {}, options);
    return sortedNames(services);
  }

  async getOperations(
    query: { service: string; spanKind?: SpanKind },
    options: ReadOptions = {},
  ): Promise<Operation[]> {
    checkTexts([query.service]);
    const request = { service: query.service, spanKind: query.spanKind ?? "" };
    const { operations } = await this.#calls.unary(remoteMethodsV2.getOperations, request, options);
    return operationsOf({ operations, operationNames: [] }, query.spanKind);
  }
}

function* batchesOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let first = 0; first < ids.length; first += idsPerCall) {
    yield ids.slice(first, first + idsPerCall);
  }
}

/** @throws StorageError STORAGE_REFUSED for bytes that are not OTLP */
function append(spans: Span[], message: Buffer): void {
  try {
    for (const span of decodeTraceChunk(message)) {
      spans.push(span);
    }
  } catch (error) {
    const text = `stored spans cannot be read: ${(error as Error).message}`;
    throw new StorageError("STORAGE_REFUSED", text, { cause: error });
  }
}
