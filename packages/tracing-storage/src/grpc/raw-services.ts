import type {
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServiceDefinition,
} from "@grpc/grpc-js";
import {
  archiveSpanReaderService,
  archiveSpanWriterService,
  type SpanReaderPluginServer,
  type SpanWriterPluginServer,
  spanReaderService,
  spanWriterService,
  streamingSpanWriterService,
} from "wire/grpc";
import type { TraceQueryParameters, WriteSpanResponse } from "wire/storage-v1";

// Received spans stay bytes, so that they can be converted to rows in one pass. Sent spans are also bytes, so that the
// size of a message is known before it is sent.

const asBytes = (bytes: Buffer): Buffer => bytes;

/** Traces by id, in encoded chunks. */
export type GetTraceHandler = handleServerStreamingCall<{ traceId: Buffer }, Buffer>;
/** Receives one encoded span. */
export type WriteSpanHandler = handleUnaryCall<Buffer, WriteSpanResponse>;

export type SpanReaderHandlers = Pick<
  SpanReaderPluginServer,
  "getServices" | "getOperations" | "findTraceIDs"
> & {
  getTrace: GetTraceHandler;
  findTraces: handleServerStreamingCall<{ query?: TraceQueryParameters | undefined }, Buffer>;
};

export type SpanWriterHandlers = Pick<SpanWriterPluginServer, "close"> & { writeSpan: WriteSpanHandler };

export type StreamingSpanWriterHandlers = {
  writeSpanStream: handleClientStreamingCall<Buffer, WriteSpanResponse>;
};

export type ArchiveSpanReaderHandlers = { getArchiveTrace: GetTraceHandler };

export type ArchiveSpanWriterHandlers = { writeArchiveSpan: WriteSpanHandler };

export const rawSpanReaderService: ServiceDefinition<SpanReaderHandlers> = {
  ...spanReaderService,
  getTrace: { ...spanReaderService.getTrace, responseSerialize: asBytes },
  findTraces: { ...spanReaderService.findTraces, responseSerialize: asBytes },
};

export const rawArchiveSpanReaderService: ServiceDefinition<ArchiveSpanReaderHandlers> = {
  getArchiveTrace: { ...archiveSpanReaderService.getArchiveTrace, responseSerialize: asBytes },
};

export const rawSpanWriterService: ServiceDefinition<SpanWriterHandlers> = {
  ...spanWriterService,
  writeSpan: { ...spanWriterService.writeSpan, requestDeserialize: asBytes },
};

export const rawStreamingSpanWriterService: ServiceDefinition<StreamingSpanWriterHandlers> = {
  writeSpanStream: { ...streamingSpanWriterService.writeSpanStream, requestDeserialize: asBytes },
};

export const rawArchiveSpanWriterService: ServiceDefinition<ArchiveSpanWriterHandlers> = {
  writeArchiveSpan: { ...archiveSpanWriterService.writeArchiveSpan, requestDeserialize: asBytes },
};
