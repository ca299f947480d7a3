import { clientTlsOptions, commaList, hostPort } from "lifecycle";
import { defaultMaxPacketBytes } from "wire/agent";
import { z } from "zod";

const count = (defaultValue: number, least = 1) => z.number().int().min(least).default(defaultValue);

const queueSize = () =>
  count(1_000).describe(
    "Most packets that wait while all workers are busy; further ones are dropped and counted.",
  );

const maxPacketSize = () =>
  count(defaultMaxPacketBytes).describe(
    "Largest packet in bytes; larger ones are dropped and counted. UDP itself has no more than 65507.",
  );

const socketBufferSize = () =>
  count(0, 0).describe(
    "Receive buffer of the socket in bytes, as far as the system allows; 0: as it allows, up to 4 MiB.",
  );

const workers = () =>
  count(10).describe("Most calls to the collector at a time for the packets of this port.");

/** The options of the agent; names and defaults as in Jaeger. */
export const agentOptions = z.object({
  "processor.zipkin-compact.server-host-port": hostPort(":5775").describe(
    "Where packets of the oldest clients come in, in Thrift's compact protocol (UDP; deprecated).",
  ),
  "processor.zipkin-compact.server-queue-size": queueSize(),
  "processor.zipkin-compact.server-max-packet-size": maxPacketSize(),
  "processor.zipkin-compact.server-socket-buffer-size": socketBufferSize(),
  "processor.zipkin-compact.workers": workers(),
  "processor.tracing-compact.server-host-port": hostPort(":6831").describe(
    "Where packets in Thrift's compact protocol come in (UDP).",
  ),
  "processor.tracing-compact.server-queue-size": queueSize(),
  "processor.tracing-compact.server-max-packet-size": maxPacketSize(),
  "processor.tracing-compact.server-socket-buffer-size": socketBufferSize(),
  "processor.tracing-compact.workers": workers(),
  "processor.tracing-binary.server-host-port": hostPort(":6832").describe(
    "Where packets in Thrift's binary protocol come in (UDP).",
  ),
  "processor.tracing-binary.server-queue-size": queueSize(),
  "processor.tracing-binary.server-max-packet-size": maxPacketSize(),
  "processor.tracing-binary.server-socket-buffer-size": socketBufferSize(),
  "processor.tracing-binary.workers": workers(),
  "http-server.host-port": hostPort(":5778").describe(
    "Where clients ask how they shall sample: /sampling and /baggageRestrictions.",
  ),
  "reporter.type": z.enum(["grpc"]).default("grpc").describe("How spans reach the collector."),
  "reporter.grpc.host-port": commaList("127.0.0.1:14250").describe(
    "Collectors, comma separated; calls go to each in turn, and of a name to each of its addresses.",
  ),
  "reporter.grpc.retry.max": count(3, 0).describe(
    "How often a call is tried again, with growing pauses, before its spans are dropped.",
  ),
  "reporter.grpc.discovery.min-peers": count(3, 0).describe(
    "Taken for the sake of old configurations; calls go to every collector there is.",
  ),
  ...clientTlsOptions("reporter.grpc"),
  "agent.tags": commaList().describe(
    "Tags for the process of every span: key=value,…; as value, $" +
      "{NAME:fallback} stands for an environment variable.",
  ),
});
