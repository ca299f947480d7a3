import type { MethodDefinition } from "@grpc/grpc-js";
import {
  archiveSpanReaderService,
  archiveSpanWriterService,
  dependenciesReaderService,
  dependencyReaderService,
  pluginCapabilitiesService,
  publicNameOf,
  spanReaderService,
  spanWriterService,
  streamingSpanWriterService,
  traceReaderService,
} from "wire/grpc";
import { traceService } from "wire/otlp";

/**
 * Copies a method under Jaeger's name. Other remote storages know only this name; the servers of this project
 * know both names.
 */
export function publicMethod<Request, Response>(
  method: MethodDefinition<Request, Response>,
): MethodDefinition<Request, Response> {
  const [, service = "", name = ""] = method.path.split("/");
  return { ...method, path: `/${publicNameOf(service) ?? service}/${name}` };
}

/** The calls of the remote storage API, version 1. */
export const remoteMethods = {
  capabilities: publicMethod(pluginCapabilitiesService.capabilities),
  getTrace: publicMethod(spanReaderService.getTrace),
  getServices: publicMethod(spanReaderService.getServices),
  getOperations: publicMethod(spanReaderService.getOperations),
  findTraces: publicMethod(spanReaderService.findTraces),
  findTraceIds: publicMethod(spanReaderService.findTraceIDs),
  writeSpan: publicMethod(spanWriterService.writeSpan),
  writeSpanStream: publicMethod(streamingSpanWriterService.writeSpanStream),
  getArchiveTrace: publicMethod(archiveSpanReaderService.getArchiveTrace),
  writeArchiveSpan: publicMethod(archiveSpanWriterService.writeArchiveSpan),
  getDependencies: publicMethod(dependenciesReaderService.getDependencies),
};

/** A method whose answer stays bytes. */
function bytesMethod<Request, Response>(
  method: MethodDefinition<Request, Response>,
): MethodDefinition<Request, Buffer> {
  const asBytes = (bytes: Buffer): Buffer => bytes;
  return { ...publicMethod(method), responseSerialize: asBytes, responseDeserialize: asBytes };
}

/** The calls of version 2. Traces stay bytes, which the reader of OTLP decodes. */
export const remoteMethodsV2 = {
  getTraces: bytesMethod(traceReaderService.getTraces),
  getServices: publicMethod(traceReaderService.getServices),
  getOperations: publicMethod(traceReaderService.getOperations),
  findTraces: bytesMethod(traceReaderService.findTraces),
  findTraceIds: publicMethod(traceReaderService.findTraceIDs),
  getDependencies: publicMethod(dependencyReaderService.getDependencies),
  export: traceService.export,
};
