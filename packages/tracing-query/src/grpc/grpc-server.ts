import type { Socket } from "node:net";
import {
  logVerbosity,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerOptions,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { guardFloods } from "http-protocols/grpc-js";
import { type HostPort, type Logger, listenError, type ServerTls, secureContextOptions } from "lifecycle";
import { endHandshakesOnClose } from "lifecycle/open-handshakes";
import { queryServiceV3 } from "wire/api-v3";
import {
  acceptMoreEncodings,
  addHealth,
  addReflection,
  bindServer,
  healthServiceName,
  metricsQueryService,
  queryService,
  rpcServiceName,
  serverCredentialsOf,
  withPublicNames,
} from "wire/grpc";
import { streamingQuerier } from "wire/tempo";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import type { CallGuard } from "./call-guard.ts";
import { metricsHandlers } from "./metrics-handlers.ts";
import { queryHandlers } from "./query-handlers.ts";
import { queryV3Handlers } from "./query-v3-handlers.ts";
import { tempoHandlers } from "./tempo-handlers.ts";

/**
 * Settings of the gRPC server. The guard protects only the query services; health and reflection need no tenant.
 */
export interface GrpcServerSettings extends CallGuard {
  /** Listen address. Undefined: the server does not listen, and gets connections through `take`. */
  readonly address: HostPort | undefined;
  /** Certificate and key; undefined for plain text. */
  readonly tls: ServerTls | undefined;
  /** Reads of the store. */
  readonly service: QueryService;
  /** Maximum number of traces, spans and bytes that one call may read. */
  readonly limits: ReadLimits;
  /** Options for adjusting times in summaries. */
  readonly adjust: AdjustOptions;
  /** Log of failures. */
  readonly log: Logger;
}

/** A running gRPC server. */
export interface GrpcServer {
  /** The port in use; undefined when the server does not listen. */
  readonly port: number | undefined;
  /** Serves a plain-text connection that another listener accepted. */
  take(socket: Socket): void;
  /** Waits for running calls to end; aborts them when `signal` is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}

/**
 * Options of every connection. Each client gets a ping every minute. A client that does not answer within 20 seconds is
 * disconnected.
 */
const connectionOptions: ServerOptions = {
  // Detects clients that disappeared without closing their connection, and ends their calls.
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  interceptors: [
    (_method, call) => {
      acceptMoreEncodings(call);
      return new ServerInterceptingCall(call);
    },
  ],
};

/**
 * Opens the server with all services, health and reflection. Each service is available under our name and under
 * Jaeger's.
 * @throws StartError when the address cannot be listened on
 */
export async function openGrpcServer(settings: GrpcServerSettings): Promise<GrpcServer> {
  const { address, tls, service, limits, adjust, log } = settings;
  const server = new Server(connectionOptions);
  guardFloods(server, endHandshakesOnClose);
  const v2 = queryHandlers(service, settings, limits, log);
  const metrics = metricsHandlers(service, settings, log);
  const v3 = queryV3Handlers(service, { guard: settings, limits, adjust, log });
  const definitions: ServiceDefinition[] = [];
  const add = <Handlers extends UntypedServiceImplementation>(
    definition: ServiceDefinition<Handlers>,
    handlers: Handlers,
  ) => {
    for (const named of withPublicNames(definition)) {
      server.addService(named, handlers);
      definitions.push(named);
    }
  };
  add(queryService, v2);
  add(metricsQueryService, metrics);
  add(queryServiceV3, v3);
  add(streamingQuerier, tempoHandlers(service, settings, limits, log));
  const names = definitions.map(rpcServiceName);
  addReflection(server, [...names, healthServiceName]);
  const health = addHealth(server, names);

  const port = address === undefined ? undefined : await listen(server, address, tls);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    port,
    take: (socket) => injector.injectConnection(socket),
    async stop(signal) {
      health.shutdown();
      const cut = () => server.forceShutdown();
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) {
        cut();
      }
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    },
  };
}

/** @returns the port @throws StartError */
async function listen(server: Server, address: HostPort, tls: ServerTls | undefined): Promise<number> {
  // grpc-js would also print each failure, with fewer details than our log.
  setLogVerbosity(logVerbosity.NONE);
  try {
    return await bindServer(server, address, serverCredentialsOf(tls, secureContextOptions));
  } catch (error) {
    throw listenError(error as Error, "query over gRPC", address.text, "query.grpc-server.host-port");
  }
}
