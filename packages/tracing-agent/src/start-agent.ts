import { openClientTls, type ProcessContext, parseTags, type RunningProcess, StartError } from "lifecycle";
import type { z } from "zod";
import { AgentMetrics } from "./agent-metrics.ts";
import type { agentOptions } from "./agent-options.ts";
import { startQuietCollections } from "./quiet-collections.ts";
import { parseCollectorAddress } from "./reporters/collector-address.ts";
import { CollectorPool } from "./reporters/collector-pool.ts";
import { GrpcReporter } from "./reporters/grpc-reporter.ts";
import { SamplingClient } from "./reporters/sampling-client.ts";
import { type HttpServer, openHttpServer } from "./servers/http-server.ts";
import { processTagFields } from "./servers/post-spans-builder.ts";
import { openSpanServer, type SpanServer } from "./servers/span-server.ts";

/** The UDP ports; `model` is their name in the metrics. */
const servers = [
  { name: "zipkin-compact", what: "Zipkin compact over UDP", protocol: "compact", model: "zipkin" },
  { name: "tracing-compact", what: "Thrift compact over UDP", protocol: "compact", model: "tracing" },
  { name: "tracing-binary", what: "Thrift binary over UDP", protocol: "binary", model: "tracing" },
] as const;

/** Options of one UDP port. */
function settingsOf({ name, ...names }: (typeof servers)[number], options: z.infer<typeof agentOptions>) {
  return {
    ...names,
    address: options[`processor.${name}.server-host-port`],
    flag: `processor.${name}.server-host-port`,
    receiveBufferBytes: options[`processor.${name}.server-socket-buffer-size`],
    maxQueuedPackets: options[`processor.${name}.server-queue-size`],
    maxPacketBytes: options[`processor.${name}.server-max-packet-size`],
    workers: options[`processor.${name}.workers`],
  };
}

/** Two numbers of packets for all ports since the start: packets that were read, and packets that were lost. */
function packetCounts(spanServers: readonly SpanServer[]) {
  return {
    packets: () => spanServers.reduce((sum, { processed }) => sum + processed, 0),
    lost: () => spanServers.reduce((sum, { queueFull, kernelDrops = 0 }) => sum + queueFull + kernelDrops, 0),
  };
}

/**
 * Opens the ports and connects to the collectors. This file must not import the library that checks options, because
 * a built agent runs without that library.
 */
export async function startAgent({
  options,
  log,
  metrics: registry,
}: ProcessContext<z.infer<typeof agentOptions>>): Promise<RunningProcess> {
  const addresses = options["reporter.grpc.host-port"].map(parseCollectorAddress);
  if (addresses.length === 0) {
    throw new StartError("option --reporter.grpc.host-port: name at least one collector, host:port");
  }
  const agentTags = processTagFields(parseTags(options["agent.tags"], process.env, "agent.tags"));
  const metrics = new AgentMetrics(registry);
  const tls = openClientTls(options, "reporter.grpc", log);
  const collectors = new CollectorPool({ collectors: addresses, tls: () => tls?.material, log });
  const maxRetries = options["reporter.grpc.retry.max"];
  const reporter = new GrpcReporter({ collectors, maxRetries, metrics, log });
  const spanServers: SpanServer[] = [];
  let httpServer: HttpServer | undefined;
  const closeServers = () => Promise.all([...spanServers, httpServer].map((server) => server?.close()));
  const closeCollectors = () => {
    collectors.close();
    tls?.close();
  };
  try {
    for (const server of servers) {
      spanServers.push(
        await openSpanServer({
          ...settingsOf(server, options),
          agentTags,
          metrics,
          log,
          report: (request, spans) => reporter.report(request, spans),
        }),
      );
    }
    httpServer = await openHttpServer({
      address: options["http-server.host-port"],
      sampling: new SamplingClient(collectors),
      metrics,
      log,
    });
  } catch (error) {
    await closeServers();
    closeCollectors();
    throw error;
  }
  metrics.showServers(spanServers);
  metrics.showConnections(collectors.names);
  const endCollections = startQuietCollections(packetCounts(spanServers));
  return {
    async stop() {
      endCollections();
      const closed = closeServers();
      reporter.stopRetrying();
      await Promise.all(spanServers.map((server) => server.drained()));
      closeCollectors();
      await closed;
    },
  };
}
