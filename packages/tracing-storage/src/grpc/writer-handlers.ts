import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import type { Logger, TenantCheck } from "lifecycle";
import { StorageError } from "storage/api";
import { OtlpTranscoder, type TraceServiceHandlers } from "wire/otlp";
import type { WriteSpanResponse } from "wire/storage-v1";
import { WriteSpanTranscoder } from "wire/storage-v1";
import { callFactsOf } from "./call-facts.ts";
import { grpcFailureOf } from "./grpc-failure.ts";
import type { SpanWriterHandlers, StreamingSpanWriterHandlers, WriteSpanHandler } from "./raw-services.ts";
import type { SpanGroups } from "./span-groups.ts";
import { SpanStream } from "./span-stream.ts";

/** Size limit of a request's rows in bytes; the row of a span is only slightly larger than its message. */
const maxRowsBytes = 64 * 1024 * 1024;

export interface WriterParts {
  readonly groups: SpanGroups;
  readonly tenants: TenantCheck;
  readonly log: Logger;
}

/** Receives one span, and answers after the span is stored. */
export function writeSpanHandler({ groups, tenants, log }: WriterParts): WriteSpanHandler {
  const transcoder = new WriteSpanTranscoder({ maxRowsBytes });
  return async (
    call: ServerUnaryCall<Buffer, WriteSpanResponse>,
    callback: sendUnaryData<WriteSpanResponse>,
  ) => {
    const facts = callFactsOf(call, tenants);
    if ("code" in facts) {
      return callback(facts);
    }
    try {
      await groups.add(transcoder.transcode(call.request, facts.tenant).rows);
      callback(null, {});
    } catch (error) {
      callback(grpcFailureOf(error, log));
    }
  };
}

/**
 * Receives OTLP requests, and answers when the spans are stored. Spans that cannot be stored are counted in the answer,
 * which is OTLP's partial success.
 */
export function exportHandler({ groups, tenants, log }: WriterParts): TraceServiceHandlers["export"] {
  const transcoder = new OtlpTranscoder({ maxRowsBytes });
  return async (call, callback) => {
    const facts = callFactsOf(call, tenants);
    if ("code" in facts) {
      return callback(facts);
    }
    try {
      const { rows, rejectedSpans, errorMessage } = transcoder.transcode(call.request, facts.tenant);
      if (rows.count > 0) {
        await groups.add(rows);
      }
      callback(null, { rejectedSpans, errorMessage });
    } catch (error) {
      callback(grpcFailureOf(error, log));
    }
  };
}

/** Handlers of `SpanWriterPlugin`. Each span is stored before its call is answered, so nothing is left for `Close`. */
export function spanWriterHandlers(parts: WriterParts): SpanWriterHandlers {
  return {
    writeSpan: writeSpanHandler(parts),
    close: (_, callback) => callback(null, {}),
  };
}

/**
 * Handlers of `StreamingSpanWriterPlugin`. Spans are stored as they arrive, because clients keep a stream open for
 * their whole life. The answer at the end confirms all spans. At the first failure, the stream ends.
 * @param stopping aborted when this process stops; streams then end as soon as the received spans are stored
 */
export function streamingSpanWriterHandlers(
  { groups, tenants, log }: WriterParts,
  stopping: AbortSignal,
): StreamingSpanWriterHandlers {
  const transcoder = new WriteSpanTranscoder({ maxRowsBytes });
  return {
    async writeSpanStream(call, callback) {
      const facts = callFactsOf(call, tenants);
      if ("code" in facts) {
        return callback(facts);
      }
      const stream = new SpanStream(callback, stopping);
      try {
        for await (const request of call as AsyncIterable<Buffer>) {
          await groups.room();
          if (stream.isOver) {
            return;
          }
          const { rows } = transcoder.transcode(request, facts.tenant);
          stream.wait(
            groups.add(rows).catch((error: unknown) => {
              throw grpcFailureOf(error, log);
            }),
          );
        }
        stream.end();
      } catch (error) {
        // The client has disconnected, or sent bytes that are not a span.
        stream.fail(
          grpcFailureOf(facts.signal.aborted ? new StorageError("STORAGE_ABORTED", "gone") : error, log),
        );
      }
    },
  };
}
