import type { MethodDefinition } from "@grpc/grpc-js";
import type { Span } from "wire/model";
import type { SpansResponseChunk } from "wire/storage-v1";
import type { ReadOptions, Trace } from "../../api/span-reader.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { isTraceNotFound } from "./grpc-errors.ts";
import { inParallel } from "./parallel.ts";
import type { ReadBudget, RemoteCalls } from "./remote-calls.ts";
import { spansOf } from "./stored-spans.ts";

/** Traces that are read at the same time; the API returns one in each call. */
const maxCalls = 8;

/** The traces to read, and the budget for them. */
interface TracesRead {
  /** Traces to read, each by 32 hexadecimal digits. */
  readonly ids: readonly string[];
  /** Bytes that all of them may take together. */
  readonly budget: ReadBudget;
  /** Tenant and signal. */
  readonly options: ReadOptions;
}

/** The traces that the server has, in the order of the request. */
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
      await calls.download(method, request, options, budget, take);
    } catch (error) {
      if (!isTraceNotFound(error)) {
        throw error;
      }
    }
  });
  return tracesInOrder(ids, spans);
}
