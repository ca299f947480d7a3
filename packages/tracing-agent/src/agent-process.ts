import { type ProcessDefinition, StartError } from "lifecycle";
import type { ThriftProtocol } from "wire/thrift";
import { AgentMetrics } from "./agent-metrics.ts";
import { agentOptions } from "./agent-options.ts";
import { parseAgentTags } from "./agent-tags.ts";
import { GrpcReporter } from "./reporters/grpc-reporter.ts";
import { PacketProcessor } from "./servers/packet-processor.ts";
import { openUdpServer, type UdpServer } from "./servers/udp-server.ts";

const protocols: readonly ThriftProtocol[] = ["compact", "binary"];

/** Spans in over UDP from clients on the same machine, out to the collector over gRPC. */
export const agentProcess: ProcessDefinition<typeof agentOptions.shape> = {
  name: "tracing-agent",
  description:
    "Takes spans from clients on the same machine over UDP and hands them to the collector over gRPC.",
  options: agentOptions,
  aliases: {
    "processor.jaeger-compact": "processor.tracing-compact",
    "processor.jaeger-binary": "processor.tracing-binary",
  },
  adminHostPort: ":14271",
  async start({ options, log, metrics: registry }) {
    const addresses = options["reporter.grpc.host-port"];
    if (addresses.length === 0) {
      throw new StartError("option --reporter.grpc.host-port: name at least one collector, host:port");
    }
    const agentTags = parseAgentTags(options["agent.tags"], process.env);
    const metrics = new AgentMetrics(registry);
    const reporter = new GrpcReporter({
      addresses,
      maxRetries: options["reporter.grpc.retry.max"],
      metrics,
      log,
    });
    const processors = new Map<ThriftProtocol, PacketProcessor>();
    const servers: UdpServer[] = [];
    const closeServers = () => Promise.all(servers.map((server) => server.close()));
    try {
      for (const protocol of protocols) {
        const prefix = `processor.tracing-${protocol}` as const;
        const processor = new PacketProcessor({
          protocol,
          maxQueuedPackets: options[`${prefix}.server-queue-size`],
          maxPacketBytes: options[`${prefix}.server-max-packet-size`],
          workers: options[`${prefix}.workers`],
          agentTags,
          metrics,
          log,
          report: (batch) => reporter.report(batch),
        });
        processors.set(protocol, processor);
        servers.push(
          await openUdpServer({
            what: `Thrift ${protocol} over UDP`,
            address: options[`${prefix}.server-host-port`],
            flag: `${prefix}.server-host-port`,
            receiveBufferBytes: options[`${prefix}.server-socket-buffer-size`],
            log,
            onPacket: (packet) => processor.accept(packet),
          }),
        );
      }
    } catch (error) {
      await closeServers();
      reporter.close();
      throw error;
    }
    metrics.showQueue(processors);
    metrics.showConnections(reporter.connections);

    return {
      async stop() {
        await closeServers();
        reporter.stopRetrying();
        await Promise.all([...processors.values()].map((processor) => processor.drained()));
        reporter.close();
      },
    };
  },
};
