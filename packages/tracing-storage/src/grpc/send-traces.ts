import { once } from "node:events";
import type { ServerWritableStream } from "@grpc/grpc-js";
import type { Trace } from "storage/api";
import { toStoredApiV2Span } from "wire/api-v2";
import { encodeSpanChunks } from "wire/storage-v1";
import { encodeTraceChunks } from "wire/storage-v2";

/**
 * Sends encoded messages at the client's pace, and then ends the call. It stops immediately when the client has
 * disconnected.
 */
export async function sendMessages<Request>(
  call: ServerWritableStream<Request, Buffer>,
  messages: Iterable<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (const message of messages) {
      if (!call.write(message)) {
        await once(call, "drain", { signal });
      }
    }
    call.end();
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  }
}

/** Traces as `SpansResponseChunk` of version 1, in chunks of a size that clients accept. */
export function* chunksOf(traces: readonly Trace[]): Generator<Buffer> {
  for (const { spans } of traces) {
    yield* encodeSpanChunks(spans.values().map(toStoredApiV2Span));
  }
}

/** Traces as `TracesData`, for version 2. */
export function* tracesDataOf(traces: readonly Trace[]): Generator<Buffer> {
  for (const { spans } of traces) {
    for (const { message } of encodeTraceChunks(spans)) {
      yield message;
    }
  }
}
