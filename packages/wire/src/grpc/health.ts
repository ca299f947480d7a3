import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  type Server,
  type ServerWritableStream,
  status,
} from "@grpc/grpc-js";
import {
  type HealthCheckRequest,
  type HealthCheckResponse,
  HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "../gen/grpc/health/v1/health.ts";
import { rpcServiceName } from "./with-public-names.ts";

/** Name of `grpc.health.v1.Health`, for the list of services in reflection. */
export const healthServiceName = rpcServiceName(HealthService);

/** Lets the owner of a gRPC server report NOT_SERVING for all services. */
export interface ServerHealth {
  /**
   * Must be called before the server shuts down. All services become NOT_SERVING, and the streams of `Watch` end with
   * this status. Otherwise a graceful shutdown would wait for these open streams.
   */
  shutdown(): void;
}

/**
 * Answers `grpc.health.v1.Health`: SERVING for "" and for each of `serviceNames`. An unknown name gives NOT_FOUND
 * to `Check`, and SERVICE_UNKNOWN on the stream of `Watch`.
 * Source: grpc/grpc doc/health-checking.md
 */
export function addHealth(server: Server, serviceNames: readonly string[]): ServerHealth {
  const known = new Set(["", ...serviceNames]);
  const watchers = new Set<ServerWritableStream<HealthCheckRequest, HealthCheckResponse>>();
  let servingStatus: ServingStatus = ServingStatus.SERVING;

  const check: handleUnaryCall<HealthCheckRequest, HealthCheckResponse> = ({ request }, callback) => {
    if (known.has(request.service)) {
      callback(null, { status: servingStatus });
    } else {
      callback({ code: status.NOT_FOUND, details: "unknown service" });
    }
  };
  const watch: handleServerStreamingCall<HealthCheckRequest, HealthCheckResponse> = (call) => {
    const isKnown = known.has(call.request.service);
    call.write({ status: isKnown ? servingStatus : ServingStatus.SERVICE_UNKNOWN });
    if (servingStatus === ServingStatus.NOT_SERVING) {
      call.end();
      return;
    }
    watchers.add(call);
    call.on("cancelled", () => watchers.delete(call));
  };
  server.addService(HealthService, { check, watch });

  return {
    shutdown() {
      servingStatus = ServingStatus.NOT_SERVING;
      for (const watcher of watchers) {
        if (known.has(watcher.request.service)) {
          watcher.write({ status: servingStatus });
        }
        watcher.end();
      }
      watchers.clear();
    },
  };
}
