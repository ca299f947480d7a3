import {
  logVerbosity,
  ResponderBuilder,
  Server,
  ServerInterceptingCall,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { Registry } from "@prometheus-io/client";
import { guardFloods } from "http-protocols/grpc-js";
import { type HostPort, listenError, type ServerTls, secureContextOptions } from "lifecycle";
import { endHandshakesOnClose } from "lifecycle/open-handshakes";
import {
  acceptMoreEncodings,
  addHealth,
  addReflection,
  bindServer,
  dependenciesReaderService,
  dependencyReaderService,
  healthServiceName,
  type PluginCapabilitiesServer,
  pluginCapabilitiesService,
  rpcServiceName,
  serverCredentialsOf,
  storageCapabilitiesService,
  withPublicNames,
} from "wire/grpc";
import { traceService } from "wire/otlp";
import {
  rawArchiveSpanReaderService,
  rawArchiveSpanWriterService,
  rawSpanReaderService,
  rawSpanWriterService,
  rawStreamingSpanWriterService,
} from "./raw-services.ts";
import { dependenciesReaderHandlers, getTraceHandler, spanReaderHandlers } from "./reader-handlers.ts";
import { RemoteStorageMetrics } from "./remote-storage-metrics.ts";
import type { RemoteStorageParts } from "./remote-storage-parts.ts";
import { SpanGroups, type SpanGroupsSettings } from "./span-groups.ts";
import {
  dependencyReaderHandlers,
  rawTraceReaderService,
  storageCapabilitiesHandlers,
  traceReaderHandlers,
} from "./storage-v2-handlers.ts";
import {
  exportHandler,
  spanWriterHandlers,
  streamingSpanWriterHandlers,
  writeSpanHandler,
} from "./writer-handlers.ts";

/** The store, the address to listen on, and the limits of calls. */
export interface RemoteStorageSettings extends RemoteStorageParts {
  readonly address: HostPort;
  /** TLS settings. Undefined: plain text. */
  readonly tls: ServerTls | undefined;
  readonly metrics: Registry;
  /** Size limit of a message in bytes; larger messages get RESOURCE_EXHAUSTED from grpc-js. */
  readonly maxMessageBytes: number;
  /** True when streams of spans are offered. */
  readonly streamingWrites: boolean;
  /** How spans of many calls are combined: see `SpanGroups`. */
  readonly groups: Pick<SpanGroupsSettings, "maxDelayMs" | "maxPendingBytes" | "writeTimeoutMs">;
}

/** A listening server. */
export interface RemoteStorageServer {
  /** The port on which the server listens; if the option is port 0, the port that the system chose. */
  readonly port: number;
  /** Lets running calls end and writes the received spans. When `signal` is aborted, calls are cancelled. */
  stop(signal: AbortSignal): Promise<void>;
}

/**
 * Opens the remote storage API, versions 1 and 2, under both package names, with reflection and health. Spans of
 * version 2 are written with OTLP's `TraceService`.
 * @throws StartError when the address cannot be listened on
 */
export async function openRemoteStorage(settings: RemoteStorageSettings): Promise<RemoteStorageServer> {
  const { store, address, tls } = settings;
  const metrics = new RemoteStorageMetrics(
    settings.metrics,
    () => groups.pendingBytes + archiveGroups.pendingBytes,
  );
  const written = (spans: number) => {
    metrics.spansWritten.inc(spans);
    metrics.blocksWritten.inc();
  };
  const groups = new SpanGroups({ ...settings.groups, writer: store.writer, written });
  const archiveGroups = new SpanGroups({ ...settings.groups, writer: store.archive.writer, written });
  const server = serverOf(settings, metrics);
  const stopping = new AbortController();
  const names = addServices(server, settings, { groups, archiveGroups, stopping: stopping.signal });
  addReflection(server, [...names, healthServiceName]);
  const health = addHealth(server, names);

  // Without this line, grpc-js also prints each failure, with fewer details than this server's log.
  setLogVerbosity(logVerbosity.NONE);
  const credentials = serverCredentialsOf(tls, secureContextOptions);
  const port = await bindServer(server, address, credentials).catch((error: Error) => {
    throw listenError(error, "remote storage over gRPC", address.text, "grpc.host-port");
  });
  return {
    port,
    async stop(signal) {
      health.shutdown();
      stopping.abort();
      const cut = () => server.forceShutdown();
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) {
        cut();
      }
      const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      await Promise.all([groups.stop(signal), archiveGroups.stop(signal)]);
      await closed;
    },
  };
}

/** Makes a server without services, which counts its answers by call and status. */
function serverOf({ maxMessageBytes }: RemoteStorageSettings, metrics: RemoteStorageMetrics): Server {
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    interceptors: [
      ({ path }, call) => {
        acceptMoreEncodings(call);
        return new ServerInterceptingCall(
          call,
          new ResponderBuilder()
            .withSendStatus((status, next) => {
              metrics.ended(path, status.code ?? 2);
              next(status);
            })
            .build(),
        );
      },
    ],
  });
  guardFloods(server, endHandshakesOnClose);
  return server;
}

/** Receivers of written spans. */
interface WriteParts {
  readonly groups: SpanGroups;
  readonly archiveGroups: SpanGroups;
  /** Aborted when the server stops, so that streams of spans end. */
  readonly stopping: AbortSignal;
}

/**
 * Adds the services of both versions, each under both package names if it has two.
 * @returns the full names of the services
 */
function addServices(
  server: Server,
  settings: RemoteStorageSettings,
  { groups, archiveGroups, stopping }: WriteParts,
): string[] {
  const { store, tenants, log, streamingWrites } = settings;
  const names: string[] = [];
  const add = <Handlers extends UntypedServiceImplementation>(
    service: ServiceDefinition<Handlers>,
    handlers: Handlers,
  ) => {
    for (const definition of withPublicNames(service)) {
      server.addService(definition, handlers);
      names.push(rpcServiceName(definition));
    }
  };
  const write = { groups, tenants, log };
  const archive = { groups: archiveGroups, tenants, log };
  add(rawSpanReaderService, spanReaderHandlers(settings));
  add(rawSpanWriterService, spanWriterHandlers(write));
  add(rawStreamingSpanWriterService, streamingSpanWriterHandlers(write, stopping));
  add(rawArchiveSpanReaderService, { getArchiveTrace: getTraceHandler(store.archive.reader, settings) });
  add(rawArchiveSpanWriterService, { writeArchiveSpan: writeSpanHandler(archive) });
  add(dependenciesReaderService, dependenciesReaderHandlers(settings));
  add(pluginCapabilitiesService, capabilitiesHandlers(streamingWrites));

  add(rawTraceReaderService, traceReaderHandlers(settings));
  add(dependencyReaderService, dependencyReaderHandlers(settings));
  add(storageCapabilitiesService, storageCapabilitiesHandlers);
  add(traceService, { export: exportHandler(write) });
  return names;
}

/** Handlers of the capabilities. Clients call this before they know a tenant, so no tenant is required. */
function capabilitiesHandlers(streamingSpanWriter: boolean): PluginCapabilitiesServer {
  return {
    capabilities: (_, callback) =>
      callback(null, { archiveSpanReader: true, archiveSpanWriter: true, streamingSpanWriter }),
  };
}
