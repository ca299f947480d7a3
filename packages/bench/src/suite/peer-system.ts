import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { folderBytes, MetricsStore } from "../e2e/measure/metrics-store.ts";
import { type System, stopAll } from "./system.ts";
import { TestProcess } from "./test-process.ts";

/**
 * Starts the public model's all-in-one program (Jaeger 1.62) with its embedded store Badger on free ports.
 * @param program path of the binary
 * @param folder an empty folder for all data
 * @throws Error when it does not become healthy
 */
export async function startPeerSystem(program: string, folder: string, signal: AbortSignal): Promise<System> {
  const addresses = await freeAddresses(11);
  const [grpc, http, query, admin] = addresses as [string, string, string, string];
  const flags: Record<string, string> = {
    "collector.otlp.grpc.host-port": grpc,
    "collector.otlp.http.host-port": http,
    "query.http-server.host-port": query,
    "admin.http.host-port": admin,
    "collector.grpc-server.host-port": addresses[4]!,
    "collector.http-server.host-port": addresses[5]!,
    "http-server.host-port": addresses[6]!,
    "query.grpc-server.host-port": addresses[7]!,
    "processor.jaeger-binary.server-host-port": addresses[8]!,
    "processor.jaeger-compact.server-host-port": addresses[9]!,
    "processor.zipkin-compact.server-host-port": addresses[10]!,
    "badger.ephemeral": "false",
    "badger.directory-key": join(folder, "keys"),
    "badger.directory-value": join(folder, "values"),
    // Without this, debug lines for every dropped span would be measured too.
    "log-level": "error",
  };
  mkdirSync(folder, { recursive: true });
  const peer = new TestProcess({
    name: "peer",
    command: program,
    args: Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    environment: { SPAN_STORAGE_TYPE: "badger" },
    healthUrl: `http://${admin}/`,
    watchesParent: false,
  });
  try {
    await peer.healthy(signal);
  } catch (error) {
    await stopAll([peer]);
    throw error;
  }
  return {
    grpcEndpoint: grpc,
    httpEndpoint: `http://${http}`,
    queryUrl: `http://${query}`,
    queryGrpcAddress: addresses[7]!,
    store: new MetricsStore(`http://${admin}/metrics`, undefined),
    processes: [peer],
    measured: [{ name: peer.name, pid: peer.pid }],
    bytesAtRest: () => folderBytes(folder),
    notes: [],
  };
}
