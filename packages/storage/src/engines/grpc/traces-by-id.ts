import type { MethodDefinition } from "@grpc/grpc-js";
import type { Span } from "wire/model";
import type { SpansResponseChunk } from "wire/storage-v1";
import type { ReadOptions, Trace } from "../../api/span-reader.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { isTraceNotFound } from "./grpc-errors.ts";
import { inParallel } from "./parallel.ts";
import type { ReadBudget, RemoteCalls } from "./remote-calls.ts";
import { spansOf } from "./stored-spans.ts";

/** Maximum number of concurrent reads; the API returns one trace in each call. */
const maxCalls = 8;

/** The traces to read, and the budget for them. */
interface TracesRead {
  /** Ids of the traces to read, 32 hexadecimal digits each. */
  readonly ids: readonly string[];
  /** Size limit that all these traces share. */
  readonly budget: ReadBudget;
  readonly options: ReadOptions;
}

/** The traces that the server has, in the order of `ids`. */
export async function tracesById(
  calls: RemoteCalls,
  method: MethodDefinition<{ traceId: Buffer }, SpansResponseChunk>,
  { ids, budget, options }: TracesRead,
): Promise<Trace[]> {
  const spans: Span[] = [];
  await inParallel(ids, maxCalls, async (id) => {
    const request = { traceId: Buffer.from(id, "hex") };
    const take = (chunk: SpansResponseChunk) => {
      for (const span of spansOf(chunk.spans)) {
        spans.push(span);
      }
    };
    try {
      await calls.download(method, request, { options, budget }, take);
    } catch (error) {
      if (!isTraceNotFound(error)) {
        throw error;
      }
    }
  });
  return tracesInOrder(ids, spans);
}
