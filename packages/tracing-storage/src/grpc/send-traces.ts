import { once } from "node:events";
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Trace } from "storage/api";
import { toStoredApiV2Span } from "wire/api-v2";
import { encodeSpanChunks } from "wire/storage-v1";

/**
 * Sends traces in chunks of a size that clients accept, at the client's pace, and then ends the call. It stops
 * immediately when the client has disconnected.
 */
export async function sendTraces<Request>(
  call: ServerWritableStream<Request, Buffer>,
  traces: readonly Trace[],
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const { spans } of traces) {
      for (const chunk of encodeSpanChunks(spans.values().map(toStoredApiV2Span))) {
        if (!call.write(chunk)) {
          await once(call, "drain", { signal });
        }
      }
    }
    call.end();
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}
