import { join } from "node:path";
import type { ProcessDefinition } from "lifecycle";
import { openServerTls, StartError, TenantCheck } from "lifecycle";
import { openGrpcServer } from "./grpc/grpc-server.ts";
import { openHttpServer } from "./http/http-server.ts";
import { UiPage } from "./http/ui-page.ts";
import { queryOptions } from "./query-options.ts";
import { openStore } from "./service/open-store.ts";
import { QueryMetrics } from "./service/query-metrics.ts";
import { QueryService } from "./service/query-service.ts";
import { StorageWatch } from "./service/storage-watch.ts";

/** Where the repository builds its UI. A file path, not an import: processes and the UI meet over HTTP only. */
const builtInUiFolder = join(import.meta.dirname, "../../tracing-ui/dist");

const nanosPerMs = 1_000_000;

/** `tracing-query`: traces out, over HTTP and gRPC, and the UI. */
export const queryProcess: ProcessDefinition<typeof queryOptions.shape> = {
  name: "tracing-query",
  description: "Finds traces: HTTP API and UI on one port, gRPC on another.",
  options: queryOptions,
  adminHostPort: ":16687",
  async start({ options, log, metrics, health }) {
    const httpAddress = options["query.http-server.host-port"];
    const grpcAddress = options["query.grpc-server.host-port"];
    if (httpAddress.port !== 0 && httpAddress.port === grpcAddress.port) {
      throw new StartError(
        `HTTP and gRPC cannot share port ${httpAddress.port}: choose another with --query.grpc-server.host-port`,
      );
    }
    const basePath = options["query.base-path"] === "/" ? "" : options["query.base-path"];
    const uiFolder = options["query.static-files"] || builtInUiFolder;
    const page = await UiPage.open(
      { folder: uiFolder, configFile: options["query.ui-config"], basePath },
      log,
    );

    const tenants = new TenantCheck(options);
    const httpTls = await openServerTls(options, "query.http", log);
    const grpcTls = await openServerTls(options, "query.grpc", log);
    const store = openStore(options, log);
    const watch = new StorageWatch({ store, health });
    const service = new QueryService({ reader: store.reader, watch, metrics: new QueryMetrics(metrics) });
    const adjust = {
      maxClockSkewNano: BigInt(Math.round(options["query.max-clock-skew-adjustment"] * nanosPerMs)),
    };
    const grpc = await openGrpcServer({ address: grpcAddress, tls: grpcTls, service, tenants, log });
    const http = await openHttpServer({
      address: httpAddress,
      tls: httpTls,
      service,
      tenants,
      adjust,
      page,
      uiFolder,
      basePath,
      log,
    }).catch(async (error: unknown) => {
      await grpc.stop(AbortSignal.abort());
      throw error;
    });

    log.info({ http: http.port, grpc: grpc.port, storage: options["span-storage.type"] }, "listening");
    watch.start();
    return {
      async stop(signal) {
        watch.stop();
        await Promise.all([http.stop(signal), grpc.stop(signal)]);
        await store.close();
      },
    };
  },
};
