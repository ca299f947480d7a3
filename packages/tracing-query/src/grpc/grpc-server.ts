import { Server } from "@grpc/grpc-js";
import type { HostPort, Logger, ServerTls, TenantCheck } from "lifecycle";
import {
  addHealth,
  addReflection,
  healthServiceName,
  queryService,
  rpcServiceName,
  withPublicNames,
} from "wire/grpc";
import type { QueryService } from "../service/query-service.ts";
import { bindServer } from "./bind-server.ts";
import { grpcCredentialsOf } from "./grpc-credentials.ts";
import { queryHandlers } from "./query-handlers.ts";

export interface GrpcServerSettings {
  readonly address: HostPort;
  /** Undefined: plain text. */
  readonly tls: ServerTls | undefined;
  readonly service: QueryService;
  /** For the query service; health and reflection need no tenant. */
  readonly tenants: TenantCheck;
  readonly log: Logger;
}

export interface GrpcServer {
  readonly port: number;
  /** Lets calls under way end; cuts them when `signal` is aborted. */
  stop(signal: AbortSignal): Promise<void>;
}

/** @throws StartError when the address cannot be listened on */
export async function openGrpcServer({
  address,
  tls,
  service,
  tenants,
  log,
}: GrpcServerSettings): Promise<GrpcServer> {
  const server = new Server();
  const definitions = withPublicNames(queryService);
  const handlers = queryHandlers(service, tenants, log);
  for (const definition of definitions) {
    server.addService(definition, handlers);
  }
  const names = definitions.map(rpcServiceName);
  addReflection(server, [...names, healthServiceName]);
  const health = addHealth(server, names);

  const port = await bindServer(server, address, grpcCredentialsOf(tls));
  return {
    port,
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
