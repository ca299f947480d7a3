import { once } from "node:events";
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Trace } from "storage/api";
import { toStoredApiV2Span } from "wire/api-v2";
import { encodeSpanChunks } from "wire/storage-v1";

/**
 * Sends traces one after the other, in chunks that clients take, no faster than the client reads, and ends the call. Ends
 * at once when the client has gone.
 */
export async function sendTraces<Request>(
  call: ServerWritableStream<Request, Buffer>,
  traces: readonly Trace[],
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const { spans } of traces) {
      for (const chunk of encodeSpanChunks(spans.values().map(toStoredApiV2Span))) {
        if (!call.write(chunk)) await once(call, "drain", { signal });
      }
    }
    call.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
