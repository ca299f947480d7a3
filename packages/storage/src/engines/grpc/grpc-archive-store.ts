import { toApiV2Span } from "wire/api-v2";
import type { SpanRows } from "wire/rows";
import type { ArchiveStore } from "../../api/archive-store.ts";
import { distinctTraceIds } from "../../api/checked-query.ts";
import type { ReadOptions, Trace } from "../../api/span-reader.ts";
import type { WriteOptions } from "../../api/span-writer.ts";
import { StorageError } from "../../api/storage-error.ts";
import { spansOfRows } from "./grpc-span-writer.ts";
import { inParallel } from "./parallel.ts";
import type { RemoteCalls } from "./remote-calls.ts";
import type { RemoteCapabilities } from "./remote-capabilities.ts";
import { remoteMethods } from "./remote-methods.ts";
import { tracesById } from "./traces-by-id.ts";

const maxCalls = 16;

/**
 * The server's archive, if its capabilities include one. A span that is archived twice may be stored twice; the reader
 * removes the copy.
 */
export function grpcArchiveStore(
  calls: RemoteCalls,
  capabilities: RemoteCapabilities,
  maxReadBytes: number,
): ArchiveStore {
  const check = async (
    part: "archiveSpanReader" | "archiveSpanWriter",
    options: ReadOptions,
  ): Promise<void> => {
    if ((await capabilities.ask(options))[part]) {
      return;
    }
    throw new StorageError("STORAGE_UNSUPPORTED", "the remote storage has no archive");
  };
  return {
    reader: {
      async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
        const ids = distinctTraceIds(traceIds);
        await check("archiveSpanReader", options);
        const budget = { bytes: maxReadBytes };
        const traces = await tracesById(calls, remoteMethods.getArchiveTrace, { ids, budget, options });
        return traces.map(withoutRepeats);
      },
    },
    writer: {
      async writeSpans(rows: SpanRows, { signal }: WriteOptions): Promise<void> {
        const spans = spansOfRows(rows);
        const common = signal === undefined ? {} : { signal };
        await check("archiveSpanWriter", { ...common, tenant: spans[0]?.tenant ?? "" });
        await inParallel(spans, maxCalls, async ({ tenant, span }) => {
          const request = { span: toApiV2Span(span) };
          await calls.unary(remoteMethods.writeArchiveSpan, request, { ...common, tenant }, true);
        });
      },
    },
  };
}

function withoutRepeats({ traceId, spans }: Trace): Trace {
  const byKey = new Map(
    spans.map((span) => [
      JSON.stringify([
        span.spanId,
        span.resource.serviceName,
        span.name,
        span.kind,
        `${span.startTimeUnixNano}`,
      ]),
      span,
    ]),
  );
  return { traceId, spans: [...byKey.values()] };
}
