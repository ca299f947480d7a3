import { fileURLToPath } from "node:url";
import type { HostPort, Logger, ProcessDefinition, ServerTls } from "lifecycle";
import {
  hasTracer,
  openServerTls,
  StartError,
  StorageWatch,
  TenantCheck,
  Tracer,
  useTracer,
} from "lifecycle";
import type { TraceStore } from "storage/api";
import { openStore } from "trace-store";
import type { AccessCheck } from "./access/access.ts";
import type { HidingParts } from "./access/hiding-store.ts";
import { openGrpcServer } from "./grpc/grpc-server.ts";
import { UiPage } from "./http/ui-page.ts";
import { mcpCommand } from "./mcp/mcp-command.ts";
import { mcpRouter } from "./mcp/mcp-router.ts";
import { objectivesCommand } from "./objectives/objectives-command.ts";
import { openObjectives } from "./objectives/open-objectives.ts";
import { PrometheusMetrics } from "./prometheus/prometheus-metrics.ts";
import { type QueryOptions, queryOptions } from "./query-options.ts";
import { openHttpServer } from "./server/http-server.ts";
import { openDeletion } from "./server/open-deletion.ts";
import { callCounting } from "./service/call-counters.ts";
import { openKeptStores } from "./service/kept-stores.ts";
import { defaultLargeTraceBytes, LargeTraceSemaphore } from "./service/large-trace-semaphore.ts";
import { countersByTenant } from "./service/prometheus-counters.ts";
import { QueryMetrics } from "./service/query-metrics.ts";
import { QueryService } from "./service/query-service.ts";
import type { ReadLimits } from "./service/read-limits.ts";
import { RequestGate } from "./service/request-gate.ts";
import { spanCounting } from "./service/span-counters.ts";
import type { SearchCounts } from "./usage/search-counts.ts";

/**
 * The repository's build of the UI; a built program has a copy in its own folder. This is a file path and not an
 * import, because processes and the UI meet over HTTP only.
 */
const builtInUiFolder = fileURLToPath(new URL("../../tracing-ui/dist", import.meta.url));

// Options have milliseconds, possibly with a fraction.
const nanosPerMs = 1_000_000;

/** How long the page waits to learn if the store has an archive, in milliseconds. */
const archiveProbeMs = 1_000;

/**
 * Reads the limits of one request from the options. For traces, spans and the time range an option of 0 means no limit:
 * then `ReadLimits` has Infinity, or undefined for the range.
 */
function readLimitsOf(options: QueryOptions): ReadLimits {
  const maxRangeMs = options["query.max-time-range"];
  return {
    maxTraces: options["query.max-traces"] || Infinity,
    maxSpans: options["query.max-spans"] || Infinity,
    maxAnswerBytes: options["query.max-answer-size"] || Infinity,
    maxRangeNano: maxRangeMs === 0 ? undefined : BigInt(Math.round(maxRangeMs * nanosPerMs)),
  };
}

/** All inputs that the shell passes to a process at its start. */
type Start = Parameters<ProcessDefinition<typeof queryOptions.shape>["start"]>[0];

/** Addresses and certificates of both listeners. */
interface Listeners {
  readonly httpAddress: HostPort;
  /** Undefined: gRPC shares the HTTP port, and the HTTP server passes gRPC connections on. */
  readonly grpcAddress: HostPort | undefined;
  readonly httpTls: ServerTls | undefined;
  readonly grpcTls: ServerTls | undefined;
}

/** @throws StartError for TLS when HTTP and gRPC share a port, and for a certificate that cannot be read */
async function listenersOf(options: QueryOptions, log: Logger): Promise<Listeners> {
  const httpAddress = options["query.http-server.host-port"];
  const grpcAddress = options["query.grpc-server.host-port"];
  const sharesPort = httpAddress.port !== 0 && httpAddress.port === grpcAddress.port;
  if (sharesPort && (options["query.http.tls.enabled"] || options["query.grpc.tls.enabled"])) {
    // Jaeger's text with both spaces: scripts search for it.
    throw new StartError(
      "server with TLS enabled can not use same host ports for gRPC and HTTP.  Use dedicated HTTP and gRPC host ports instead",
    );
  }
  return {
    httpAddress,
    grpcAddress: sharesPort ? undefined : grpcAddress,
    httpTls: await openServerTls(options, "query.http", log),
    grpcTls: await openServerTls(options, "query.grpc", log),
  };
}

/** The rules of access, and the store behind them. */
interface Guarded {
  /** Undefined without --query.access-file. */
  readonly access: (AccessCheck & { close(): void }) | undefined;
  /** Counts of searches; undefined without --query.usage.enabled. */
  readonly searchCounts: SearchCounts | undefined;
  /** The parts of the store that clients read. */
  guard(store: TraceStore): HidingParts;
}

/** Loads the access rules only with --query.access-file. @throws StartError for a mistake in the file */
async function openGuard({ options, log, metrics }: Start): Promise<Guarded> {
  const path = options["query.access-file"];
  const { searchCounts, count } = await openCounts(options);
  if (path === "") {
    return { access: undefined, searchCounts, guard: count };
  }
  const [{ OpenAccess }, { hidingStore }] = await Promise.all([
    import("./access/open-access.ts"),
    import("./access/hiding-store.ts"),
  ]);
  const access = await OpenAccess.open(path, log, metrics);
  return { access, searchCounts, guard: (store) => count(hidingStore(store)) };
}

/** Loads the counts of searches only with --query.usage.enabled. */
async function openCounts(options: QueryOptions) {
  if (!options["query.usage.enabled"]) {
    return { searchCounts: undefined, count: (parts: HidingParts) => parts };
  }
  const [{ SearchCounts }, { countingStore }] = await Promise.all([
    import("./usage/search-counts.ts"),
    import("./usage/counting-store.ts"),
  ]);
  const searchCounts = new SearchCounts();
  return { searchCounts, count: (parts: HidingParts) => countingStore(parts, searchCounts) };
}

/** Opens the store, and the parts through which this process reads the store. */
function openReads({ options, log, metrics, health }: Start, { guard }: Guarded) {
  const maxReadBytes = options["query.max-read-size"];
  const store = openStore(options, log, { metrics, maxReadBytes });
  // The process is healthy when the store is healthy.
  const watch = new StorageWatch({ store, health });
  const prometheus =
    options["metrics-storage.type"] === "prometheus" ? new PrometheusMetrics(options, log) : undefined;
  const queryMetrics = new QueryMetrics(metrics);
  const room = new LargeTraceSemaphore(defaultLargeTraceBytes, () => queryMetrics.largeReadWaits());
  const gate = new RequestGate({
    maxConcurrent: options["query.max-concurrent-reads"],
    maxConcurrentTraces: options["query.max-concurrent-trace-reads"],
    maxWaiting: options["query.max-waiting-reads"],
    room,
  });
  const { reader, archive, analysis, traceql, catalog } = guard(store);
  const service = new QueryService({
    ...{ reader, archive, analysis, traceql, catalog },
    dependencies: store.dependencies,
    redMetrics: prometheus ?? store.metrics,
    readSpanCounters: countersByTenant(spanCounting, store.metrics),
    readCallCounters: countersByTenant(callCounting, store.metrics),
    namesMaxAgeMs: options["query.names-max-age"],
    watch,
    metrics: queryMetrics,
    room,
    gate,
    maxReadBytes,
  });
  return { store, watch, prometheus, queryMetrics, gate, service };
}

type Reads = ReturnType<typeof openReads>;

/** The UI's page, with a list of the store's abilities. @throws StartError when its configuration cannot be used */
function openPage(options: QueryOptions, { service }: Reads, log: Logger): Promise<UiPage> {
  return UiPage.open(
    {
      folder: uiFolderOf(options),
      configFile: options["query.ui-config"],
      hasArchive: async () =>
        (await service.traces.hasArchive({ signal: AbortSignal.timeout(archiveProbeMs) })) === true,
      hasMetrics: () => service.hasMetrics(),
    },
    log,
  );
}

function uiFolderOf(options: QueryOptions): string {
  return options["query.static-files"] || builtInUiFolder;
}

/** Settings that HTTP and gRPC share. @throws StartError for a file of prices or objectives with a mistake */
async function sharedSettings(
  { options, log, metrics }: Start,
  { store, queryMetrics, gate, service }: Reads,
  { access, searchCounts }: Guarded,
) {
  const kept = openKeptStores(
    options["query.views-dir"],
    (kind) => queryMetrics.viewRefused(kind),
    options["query.model-prices-file"],
  );
  await kept.prices.check();
  const objectives = await openObjectives(options["query.objectives-file"], store, { log, metrics });
  const deletion = await openDeletion(options, { log, metrics });
  const maxClockSkewNano = BigInt(Math.round(options["query.max-clock-skew-adjustment"] * nanosPerMs));
  return {
    service,
    tenants: new TenantCheck(options),
    ...{ access, searchCounts },
    propagateToken: options["query.bearer-token-propagation"],
    gate,
    limits: readLimitsOf(options),
    adjust: { maxClockSkewNano },
    ...kept,
    objectives,
    deletion,
    log,
  };
}

/** Loads the push of span metrics only when one of its URLs is set. @throws StartError for a wrong option */
async function openPush({ options, log, metrics }: Start, { store }: Reads) {
  const urls = ["remote-write", "otlp"] as const;
  if (urls.every((kind) => options[`query.metrics-push.${kind}-url`] === "")) {
    return undefined;
  }
  const { openMetricPush } = await import("./metric-push/open-metric-push.ts");
  const source = { reader: store.reader, readCounters: countersByTenant(spanCounting, store.metrics) };
  return openMetricPush(options, source, { log, metrics });
}

type Shared = Awaited<ReturnType<typeof sharedSettings>>;

/** Creates the tracer of --query.enable-tracing. Undefined without the option, or if the shell has set a tracer. */
function openTracer({ options, log, metrics }: Start): Tracer | undefined {
  if (!options["query.enable-tracing"] || hasTracer()) {
    return undefined;
  }
  const tracer = new Tracer({ name: "tracing-query", environment: process.env, log, metrics });
  useTracer(tracer);
  return tracer;
}

/** Opens gRPC and then HTTP, which may pass connections to gRPC. @throws StartError; then both are closed */
async function listen(options: QueryOptions, shared: Shared, listeners: Listeners, page: UiPage) {
  const { httpAddress, grpcAddress, httpTls, grpcTls } = listeners;
  const basePath = options["query.base-path"] === "/" ? "" : options["query.base-path"];
  const maxBodyBytes = options["query.max-upload-size"];
  const allowedOrigins = options["query.mcp.allowed-origins"];
  const grpc = await openGrpcServer({ ...shared, address: grpcAddress, tls: grpcTls });
  const http = await openHttpServer({
    ...shared,
    address: httpAddress,
    tls: httpTls,
    maxBodyBytes,
    routers: options["query.mcp.enabled"]
      ? [
          mcpRouter({
            ...{ ...shared, maxBodyBytes, basePath, allowedOrigins },
            uiConfigFile: options["query.ui-config"],
          }),
        ]
      : [],
    maxTailClients: options["query.max-tail-clients"] || Infinity,
    page,
    uiFolder: uiFolderOf(options),
    logStaticFiles: options["query.log-static-assets-access"],
    basePath,
    headers: options["query.additional-headers"],
    // Grafana's Tempo data source streams gRPC to the HTTP port of its URL.
    takeHttp2: httpTls === undefined && grpcTls === undefined ? (socket) => grpc.take(socket) : undefined,
  }).catch(async (error: unknown) => {
    await grpc.stop(AbortSignal.abort());
    throw error;
  });
  return { grpc, http };
}

/**
 * `tracing-query` serves traces over HTTP and gRPC, and the UI. Its parts open in this order:
 *
 * - certificates, the store and its watch
 * - the gate and the room, which limit the memory of all reads
 * - the service, through which all endpoints read
 * - the page, the kept files and the objectives
 * - gRPC, then HTTP, which may pass connections to gRPC
 */
export const queryProcess: ProcessDefinition<typeof queryOptions.shape> = {
  name: "tracing-query",
  description: "Finds traces: HTTP API and UI on one port, gRPC on another and, without TLS, on both.",
  options: queryOptions,
  commands: [mcpCommand, objectivesCommand],
  adminHostPort: ":16687",
  async start(shell) {
    const { options, log } = shell;
    const listeners = await listenersOf(options, log);
    const guarded = await openGuard(shell);
    const reads = openReads(shell, guarded);
    const page = await openPage(options, reads, log);
    const shared = await sharedSettings(shell, reads, guarded);
    const tracer = openTracer(shell);
    const push = await openPush(shell, reads);
    const { grpc, http } = await listen(options, shared, listeners, page);
    const { objectives, deletion } = shared;
    objectives.start();

    log.info(
      { http: http.port, grpc: grpc.port ?? http.port, storage: options["span-storage.type"] },
      "listening",
    );
    const { store, watch, prometheus } = reads;
    watch.start();
    push?.start();
    return {
      // Listeners end first and the store last, because running requests still read.
      async stop(signal) {
        watch.stop();
        guarded.access?.close();
        await Promise.all([
          objectives.close(signal),
          push?.close(signal),
          deletion?.close(),
          http.stop(signal),
          grpc.stop(signal),
        ]);
        await Promise.all([store.close(), prometheus?.close(), tracer?.close()]);
      },
    };
  },
};
