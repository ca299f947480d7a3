import type { MethodDefinition } from "@grpc/grpc-js";
import {
  archiveSpanReaderService,
  archiveSpanWriterService,
  dependenciesReaderService,
  pluginCapabilitiesService,
  publicNameOf,
  spanReaderService,
  spanWriterService,
  streamingSpanWriterService,
} from "wire/grpc";

/**
 * Copies a method under the public model's name. Other remote storages know only this name; the servers of this project
 * know both names.
 */
export function publicMethod<Request, Response>(
  method: MethodDefinition<Request, Response>,
): MethodDefinition<Request, Response> {
  const [, service = "", name = ""] = method.path.split("/");
  return { ...method, path: `/${publicNameOf(service) ?? service}/${name}` };
}

/** The calls of the remote storage API. */
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
