import type { Span } from "wire/model";
import type { ArchiveStore } from "../../api/archive-store.ts";
import { distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { readTenantSpans } from "./read-tenant-spans.ts";
import { StoredTenants } from "./stored-tenants.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";

/** @param maxTraces limit of traces for each tenant */
export function memoryArchive(maxTraces: number): ArchiveStore {
  const stored = new StoredTenants(maxTraces);
  return {
    reader: {
      async getTraces(traceIds, options = {}) {
        throwIfAborted(options.signal);
        const traces = stored.tracesOf(tenantOf(options));
        const ids = distinctTraceIds(traceIds);
        return tracesInOrder(
          ids,
          ids.flatMap((id) => traces.trace(id)),
        );
      },
    },
    writer: {
      async writeSpans(rows, { deduplicationToken, signal }) {
        throwIfAborted(signal);
        const added = new Set<string>();
        const spans = readTenantSpans(rows).filter(({ tenant, span }) => {
          const key = JSON.stringify([tenant, span.traceId, identity(span)]);
          if (added.has(key)) {
            return false;
          }
          added.add(key);
          return !stored
            .tracesOf(tenant)
            .trace(span.traceId)
            .some((other) => identity(other) === identity(span));
        });
        stored.add(spans, deduplicationToken);
      },
    },
  };
}

/** Text that is equal for two copies of a span of the same trace. */
function identity({ spanId, resource, name, kind, startTimeUnixNano }: Span): string {
  return JSON.stringify([spanId, resource.serviceName, name, kind, String(startTimeUnixNano)]);
}
