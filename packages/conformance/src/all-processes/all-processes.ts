// All five processes, each a real child process on its own ports, with one temporary folder. The end-to-end tests of
// this package use it, and its answers are compared with the public model's.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import type { Addresses } from "../suite.ts";
import { TestedProcess } from "./tested-process.ts";

const frontDoorFile = new URL("../../../launcher/config/front-door.json", import.meta.url);

export interface AllProcesses {
  readonly addresses: Required<Addresses>;
  /** The web server's public address. */
  readonly frontDoor: string;
  /** UDP ports of the agent, Thrift compact and binary. */
  readonly agentCompactPort: number;
  readonly agentBinaryPort: number;
  /** UDP port of the agent for Zipkin spans in Thrift compact. */
  readonly agentZipkinPort: number;
  /** URL of the agent's HTTP port for sampling strategies. */
  readonly agentHttp: string;
  /** URL of the collector's HTTP port for Thrift and sampling strategies. */
  readonly collectorHttp: string;
  /** URL of the collector's Zipkin port. */
  readonly zipkin: string;
  /** URL of ClickHouse's HTTP protocol. */
  readonly storageUrl: string;
  readonly storage: TestedProcess;
  readonly collector: TestedProcess;
  readonly agent: TestedProcess;
  readonly query: TestedProcess;
  readonly adminServer: TestedProcess;
  close(): Promise<void>;
}

export interface AllProcessesSettings {
  /** Additional options of the collector, such as a file of sampling strategies. */
  readonly collectorOptions?: readonly string[];
  /** True: storage, collector and query service send spans of their own requests to the collector. */
  readonly ownTraces?: boolean;
}

/** The config of `npm start`'s front door, with other ports. */
function frontDoorConfig(at: Readonly<Record<"listen" | "collector" | "query", string>>): string {
  return readFileSync(frontDoorFile, "utf8")
    .replace('":8080"', JSON.stringify(at.listen))
    .replaceAll("127.0.0.1:4318", at.collector)
    .replaceAll("127.0.0.1:16686", at.query);
}

/** Starts all processes, and resolves when all of them are healthy. */
export async function openAllProcesses({
  collectorOptions = [],
  ownTraces = false,
}: AllProcessesSettings = {}): Promise<AllProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "all-processes-"));
  const free = await freeAddresses(18);
  const local = (index: number) => {
    const address = free[index];
    if (address === undefined) {
      throw new Error(`there are ${free.length} addresses, ${index} is none of them`);
    }
    return address;
  };
  const portOf = (index: number) => Number(local(index).split(":")[1]);
  const store = ["--clickhouse.url", `http://${local(0)}`];
  const traces = ownTraces ? ["--tracing.otlp.endpoint", `http://${local(3)}`] : [];
  const admin = (index: number) => ["--admin.http.host-port", local(index), ...traces];

  const storage = new TestedProcess(
    "tracing-storage",
    "tracing-storage/bin/tracing-storage.ts",
    [
      ...["--storage.http.host-port", local(0), "--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", "127.0.0.1:0", ...admin(1)],
    ],
    `http://${local(1)}/`,
  );
  const collector = new TestedProcess(
    "tracing-collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", local(2)],
      ...["--collector.otlp.http.host-port", local(3)],
      ...["--collector.grpc-server.host-port", local(4)],
      ...["--collector.http-server.host-port", local(14)],
      ...["--collector.zipkin.host-port", local(15)],
      ...["--collector.journal.dir", join(folder, "collector")],
      ...store,
      ...admin(5),
      ...collectorOptions,
    ],
    `http://${local(5)}/`,
  );
  const agent = new TestedProcess(
    "tracing-agent",
    "tracing-agent/bin/tracing-agent.ts",
    [
      ...["--processor.tracing-compact.server-host-port", local(6)],
      ...["--processor.tracing-binary.server-host-port", local(7)],
      ...["--processor.zipkin-compact.server-host-port", local(16)],
      ...["--http-server.host-port", local(17)],
      ...["--reporter.grpc.host-port", local(4)],
      ...admin(8),
    ],
    `http://${local(8)}/`,
  );
  const query = new TestedProcess(
    "tracing-query",
    "tracing-query/bin/tracing-query.ts",
    [
      ...["--query.http-server.host-port", local(9)],
      ...["--query.grpc-server.host-port", local(10)],
      ...store,
      ...admin(11),
    ],
    `http://${local(11)}/`,
  );
  const serverConfig = join(folder, "front-door.json");
  writeFileSync(serverConfig, frontDoorConfig({ listen: local(13), collector: local(3), query: local(9) }));
  const adminServer = new TestedProcess(
    "admin-server",
    "admin-server/bin/server.ts",
    ["run", "--config", serverConfig, "--resume"],
    `http://${local(12)}/config/`,
    {
      SERVER_ADMIN: local(12),
      XDG_CONFIG_HOME: join(folder, "server-config"),
      XDG_DATA_HOME: join(folder, "server-data"),
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${local(3)}`,
      OTEL_SERVICE_NAME: "front-door",
      OTEL_BSP_SCHEDULE_DELAY: "200",
    },
  );

  const all = [storage, collector, agent, query, adminServer];
  const close = async () => {
    for (const process of [adminServer, agent, collector, query, storage]) {
      await process.end("SIGTERM");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(all.map((process) => process.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    addresses: {
      otlpGrpc: local(2),
      otlpHttp: `http://${local(3)}`,
      collectorGrpc: local(4),
      query: `http://${local(9)}`,
      tempo: `http://${local(9)}/tempo`,
      queryGrpc: local(10),
      admin: `http://${local(12)}`,
    },
    frontDoor: `http://${local(13)}`,
    agentCompactPort: portOf(6),
    agentBinaryPort: portOf(7),
    agentZipkinPort: portOf(16),
    agentHttp: `http://${local(17)}`,
    collectorHttp: `http://${local(14)}`,
    zipkin: `http://${local(15)}`,
    storageUrl: `http://${local(0)}`,
    storage,
    collector,
    agent,
    query,
    adminServer,
    close,
  };
}
