import { openAllProcesses } from "../../all-processes/all-processes.ts";
import type { TracingBackend } from "./tracing-backend.ts";

/** Starts all our processes. @param strategiesFile path of a file of sampling strategies */
export async function startOurs(strategiesFile: string): Promise<TracingBackend> {
  const backend = await openAllProcesses({
    collectorOptions: ["--sampling.strategies-file", strategiesFile],
  });
  const hostPort = (url: string) => new URL(url).host;
  const local = (port: number) => `127.0.0.1:${port}`;
  return {
    name: "ours",
    addresses: {
      otlpGrpc: backend.addresses.otlpGrpc,
      otlpHttp: hostPort(backend.addresses.otlpHttp),
      collectorGrpc: backend.addresses.collectorGrpc,
      collectorHttp: hostPort(backend.collectorHttp),
      zipkin: hostPort(backend.zipkin),
      agentCompact: local(backend.agentCompactPort),
      agentBinary: local(backend.agentBinaryPort),
      agentZipkin: local(backend.agentZipkinPort),
      agentHttp: hostPort(backend.agentHttp),
      query: hostPort(backend.addresses.query),
      queryGrpc: backend.addresses.queryGrpc,
    },
    grpcPath: (path) => path,
    close: () => backend.close(),
  };
}
