import {
  Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  type status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import {
  type ArchiveSpanReaderPluginServer,
  type ArchiveSpanWriterPluginServer,
  archiveSpanReaderService,
  archiveSpanWriterService,
  type DependenciesReaderPluginServer,
  dependenciesReaderService,
  type PluginCapabilitiesServer,
  pluginCapabilitiesService,
  type SpanReaderPluginServer,
  type SpanWriterPluginServer,
  type StreamingSpanWriterPluginServer,
  spanReaderService,
  spanWriterService,
  streamingSpanWriterService,
  withPublicNames,
} from "wire/grpc";

/** Handlers of a test, by the names in Jaeger's services. A call without a handler gets UNIMPLEMENTED. */
export type FakeHandlers = Partial<
  SpanReaderPluginServer &
    SpanWriterPluginServer &
    StreamingSpanWriterPluginServer &
    ArchiveSpanReaderPluginServer &
    ArchiveSpanWriterPluginServer &
    DependenciesReaderPluginServer &
    PluginCapabilitiesServer
>;

export interface FakeRemoteStorage {
  /** host:port */
  readonly address: string;
  close(): void;
}

const services = [
  spanReaderService,
  spanWriterService,
  streamingSpanWriterService,
  archiveSpanReaderService,
  archiveSpanWriterService,
  dependenciesReaderService,
  pluginCapabilitiesService,
];

/** A remote storage for tests, with the given handlers. @param port 0: any free port */
export async function startFakeRemoteStorage(handlers: FakeHandlers, port = 0): Promise<FakeRemoteStorage> {
  const server = new Server();
  for (const service of services) {
    // Other remote storages have only the public names.
    const [, definition] = withPublicNames(service);
    const own = Object.entries(handlers).filter(([name]) => name in service);
    if (definition !== undefined && own.length > 0) {
      server.addService(definition, Object.fromEntries(own) as UntypedServiceImplementation);
    }
  }
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, actual) =>
      error === null ? resolve(actual) : reject(error),
    );
  });
  return { address: `127.0.0.1:${bound}`, close: () => server.forceShutdown() };
}

/** The error with which a handler ends a call. */
export function serviceError(code: status, details: string): ServiceError {
  return Object.assign(new Error(details), { code, details, metadata: new Metadata() });
}
