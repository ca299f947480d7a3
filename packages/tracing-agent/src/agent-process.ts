import type { ProcessDefinition } from "lifecycle";
import { agentOptions } from "./agent-options.ts";

/** Receives spans over UDP from clients on the same machine, and sends the spans to the collector over gRPC. */
export const agentProcess: ProcessDefinition<typeof agentOptions.shape> = {
  name: "tracing-agent",
  description:
    "Takes spans from clients on the same machine over UDP and hands them to the collector over gRPC; " +
    "tells clients how to sample.",
  options: agentOptions,
  aliases: {
    "processor.jaeger-compact": "processor.tracing-compact",
    "processor.jaeger-binary": "processor.tracing-binary",
  },
  adminHostPort: ":14271",
  start: async (context) => (await import("./start-agent.ts")).startAgent(context),
};
