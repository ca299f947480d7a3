import { openHouse } from "../../house/house.ts";
import type { TracingBackend } from "./tracing-backend.ts";

/** Starts all our processes. @param strategiesFile path of a file of sampling strategies */
export async function startOurs(strategiesFile: string): Promise<TracingBackend> {
  const house = await openHouse({ collectorOptions: ["--sampling.strategies-file", strategiesFile] });
  const hostPort = (url: string) => new URL(url).host;
  const local = (port: number) => `127.0.0.1:${port}`;
  return {
    name: "ours",
    addresses: {
      otlpGrpc: house.addresses.otlpGrpc,
      otlpHttp: hostPort(house.addresses.otlpHttp),
      collectorGrpc: house.addresses.collectorGrpc,
      collectorHttp: hostPort(house.collectorHttp),
      zipkin: hostPort(house.zipkin),
      agentCompact: local(house.agentCompactPort),
      agentBinary: local(house.agentBinaryPort),
      agentZipkin: local(house.agentZipkinPort),
      agentHttp: hostPort(house.agentHttp),
      query: hostPort(house.addresses.query),
      queryGrpc: house.addresses.queryGrpc,
    },
    grpcPath: (path) => path,
    close: () => house.close(),
  };
}
