import { type Span, type SpanKind, spanKinds } from "wire/model";
import type { GetOperationsResponse } from "wire/storage-v1";
import { checkSearch, checkTexts, distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { Operation, ReadOptions, SpanReader, Trace, TraceQuery } from "../../api/span-reader.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { isNotImplemented } from "./grpc-errors.ts";
import { newestFirst } from "./newest-match.ts";
import { queryMessage } from "./query-message.ts";
import type { ReadBudget, RemoteCalls } from "./remote-calls.ts";
import { remoteMethods } from "./remote-methods.ts";
import { spansOf } from "./stored-spans.ts";
import { tracesById } from "./traces-by-id.ts";

/** Reads over the API. The class adds what servers may omit: sort order, limit, and unknown kinds. */
export class GrpcSpanReader implements SpanReader {
  readonly #calls: RemoteCalls;
  readonly #maxReadBytes: number;

  constructor(calls: RemoteCalls, maxReadBytes: number) {
    this.#calls = calls;
    this.#maxReadBytes = maxReadBytes;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const ids = distinctTraceIds(traceIds);
    tenantOf(options);
    return await tracesById(this.#calls, remoteMethods.getTrace, { ids, budget: this.#budget(), options });
  }

  async findTraces(query: TraceQuery, options: ReadOptions = {}): Promise<Trace[]> {
    checkSearch(query);
    const spans: Span[] = [];
    await this.#calls.download(
      remoteMethods.findTraces,
      { query: queryMessage(query) },
      { options, budget: this.#budget() },
      (chunk) => {
        for (const span of spansOf(chunk.spans)) {
          spans.push(span);
        }
      },
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
      const request = { query: queryMessage(query) };
      const { traceIds } = await this.#calls.unary(remoteMethods.findTraceIds, request, options);
      return idTexts(traceIds, query.limit);
    } catch (error) {
      if (!isNotImplemented(error)) {
        throw error;
      }
      return (await this.findTraces(query, options)).map(({ traceId }) => traceId);
    }
  }

  async getServices(options: ReadOptions = {}): Promise<string[]> {
    const { services } = await this.#calls.unary(remoteMethods.getServices, {}, options);
    return sortedNames(services);
  }

  async getOperations(
    query: { service: string; spanKind?: SpanKind },
    options: ReadOptions = {},
  ): Promise<Operation[]> {
    checkTexts([query.service]);
    const request = { service: query.service, spanKind: query.spanKind ?? "" };
    const answer = await this.#calls.unary(remoteMethods.getOperations, request, options);
    return operationsOf(answer, query.spanKind);
  }

  #budget(): ReadBudget {
    return { bytes: this.#maxReadBytes };
  }
}

/** Ids in the order of the server, each once, as 32 hex digits. */
export function idTexts(ids: readonly Buffer[], limit: number): string[] {
  return [...new Set(ids.map((id) => id.toString("hex").padStart(32, "0")))].slice(0, limit);
}

/**
 * Converts the server's list of operations. Older servers fill only `operationNames`; some servers ignore the wanted
 * kind or return no kinds.
 */
export function operationsOf(answer: GetOperationsResponse, wanted: SpanKind | undefined): Operation[] {
  const all =
    answer.operations.length > 0
      ? answer.operations
      : answer.operationNames.map((name) => ({ name, spanKind: wanted ?? "" }));
  const operations = new Map<string, Operation>();
  for (const { name, spanKind: text } of all) {
    const spanKind = spanKinds.find((kind) => kind === text) ?? "unspecified";
    if (wanted !== undefined && text !== "" && spanKind !== wanted) {
      continue;
    }
    operations.set(`${spanKind} ${name}`, { name, spanKind: text === "" && wanted ? wanted : spanKind });
  }
  return [...operations.values()].sort(
    (one, other) =>
      byBytes(one.name, other.name) || spanKinds.indexOf(one.spanKind) - spanKinds.indexOf(other.spanKind),
  );
}

/** The server's services, each once, sorted. */
export function sortedNames(names: readonly string[]): string[] {
  return [...new Set(names)].sort(byBytes);
}

/** Sorts by UTF-8 bytes as the other engines do; JavaScript's `<` sorts by UTF-16 units. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
