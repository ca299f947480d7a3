import { isDeepStrictEqual } from "node:util";
import { type Span, type SpanKind, spanKinds } from "wire/model";
import { checkSearch, checkTexts, distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type {
  Operation,
  PackedTrace,
  ReadOptions,
  SpanReader,
  Trace,
  TraceQuery,
} from "../../api/span-reader.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { spanMatches } from "./span-matches.ts";
import type { StoredTenants } from "./stored-tenants.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";

/** Answers each search by checking every stored span. */
export class MemorySpanReader implements SpanReader {
  readonly #stored: StoredTenants;

  constructor(stored: StoredTenants) {
    this.#stored = stored;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    throwIfAborted(options.signal);
    const stored = this.#stored.tracesOf(tenantOf(options));
    const ids = distinctTraceIds(traceIds);
    return tracesInOrder(
      ids,
      ids.flatMap((id) => stored.trace(id)),
    );
  }

  async getPackedTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<PackedTrace[]> {
    const traces = await this.getTraces(traceIds, options);
    return traces.map(({ traceId, spans }) => ({ traceId, spans: withoutCopies(spans) }));
  }

  async findTraces(query: TraceQuery, options: ReadOptions = {}): Promise<Trace[]> {
    return await this.getTraces(await this.findTraceIds(query, options), options);
  }

  async findTraceIds(query: TraceQuery, options: ReadOptions = {}): Promise<string[]> {
    throwIfAborted(options.signal);
    const stored = this.#stored.tracesOf(tenantOf(options));
    checkSearch(query);
    const newest = new Map<string, bigint>();
    for (const span of stored.spans()) {
      if (!spanMatches(span, query)) {
        continue;
      }
      const start = newest.get(span.traceId);
      if (start === undefined || span.startTimeUnixNano > start) {
        newest.set(span.traceId, span.startTimeUnixNano);
      }
    }
    const ids = [...newest].sort(([id, start], [otherId, other]) => {
      if (start !== other) {
        return start > other ? -1 : 1;
      }
      return id < otherId ? -1 : 1;
    });
    return ids.slice(0, query.limit).map(([id]) => id);
  }

  async getServices(options: ReadOptions = {}): Promise<string[]> {
    throwIfAborted(options.signal);
    const stored = this.#stored.tracesOf(tenantOf(options));
    const names = new Set<string>();
    for (const { resource } of stored.spans()) {
      names.add(resource.serviceName);
    }
    return [...names].sort(byBytes);
  }

  async getOperations(
    query: { service: string; spanKind?: SpanKind },
    options: ReadOptions = {},
  ): Promise<Operation[]> {
    throwIfAborted(options.signal);
    const stored = this.#stored.tracesOf(tenantOf(options));
    checkTexts([query.service]);
    const kindsOfNames = new Map<string, Set<SpanKind>>();
    for (const { resource, name, kind } of stored.spans()) {
      if (resource.serviceName !== query.service) {
        continue;
      }
      if (query.spanKind !== undefined && kind !== query.spanKind) {
        continue;
      }
      kindsOfNames.set(name, (kindsOfNames.get(name) ?? new Set()).add(kind));
    }
    return [...kindsOfNames.keys()].sort(byBytes).flatMap((name) => {
      const kinds = kindsOfNames.get(name);
      return spanKinds.filter((kind) => kinds?.has(kind)).map((spanKind) => ({ name, spanKind }));
    });
  }
}

/** Sorts by UTF-8 bytes as the other engines do; JavaScript's `<` sorts by UTF-16 units. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Removes spans that equal an earlier span in every field. */
function withoutCopies(spans: readonly Span[]): Span[] {
  const byId = Map.groupBy(spans, ({ spanId }) => spanId);
  return spans.filter((span) => {
    const others = byId.get(span.spanId) ?? [];
    return others.length === 1 || others.find((other) => isDeepStrictEqual(other, span)) === span;
  });
}
