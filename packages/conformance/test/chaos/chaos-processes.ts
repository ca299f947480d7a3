import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import type { CollectorAddresses } from "../faults/span-doors.ts";
import { FaultLink, type LinkState } from "./fault-link.ts";
import { frontDoorConfig } from "./front-door-config.ts";

/** The processes, in the order in which they are started. */
export const processNames = [
  "storage",
  "collector-1",
  "collector-2",
  "agent",
  "query",
  "admin-server",
] as const;
export type ProcessName = (typeof processNames)[number];

/** Pairs of processes that communicate. A fault of a pair affects both collectors and all protocols. */
export const pairNames = [
  "client-server",
  "server-collector",
  "server-query",
  "agent-collector",
  "collector-storage",
  "query-storage",
] as const;
export type PairName = (typeof pairNames)[number];

export interface ChaosProcessesSettings {
  /** Additional options of both collectors. */
  readonly collectorOptions?: readonly string[];
  /** Additional options of the storage. */
  readonly storageOptions?: readonly string[];
  /** Additional options of the web server. */
  readonly serverOptions?: readonly string[];
  /** Environment of processes, by name. */
  readonly environment?: Partial<Readonly<Record<ProcessName, Readonly<Record<string, string>>>>>;
  /** Folders of the journals and of the storage's data; by default in the temporary folder. */
  readonly journals?: string;
  readonly data?: string;
}

/** All processes, like a cluster on one machine: two collectors behind the server, and a link between each pair. */
export interface ChaosProcesses {
  readonly folder: string;
  readonly processes: Readonly<Record<ProcessName, TestedProcess>>;
  /** Addresses of the server, through the links, to which clients send spans. */
  readonly spanAddresses: CollectorAddresses;
  /** URL of the server's front door, through its link, for searches. */
  readonly frontDoor: string;
  /** UDP port of the agent for Thrift compact. */
  readonly agentPort: number;
  /** Address of ClickHouse's HTTP protocol, not through a link: it shows the spans that are stored. */
  readonly storageUrl: string;
  /** Resolves when every process is healthy. @throws Error when a process does not become healthy */
  start(): Promise<void>;
  setLinks(pair: PairName, state: LinkState): void;
  /** Kills the running processes, and removes the folder. */
  close(): Promise<void>;
}

/** Prepares everything, without starting a process. */
export async function openChaosProcesses(settings: ChaosProcessesSettings = {}): Promise<ChaosProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  const free = await freeAddresses(32);
  const next = () => {
    const address = free.pop();
    if (address === undefined) {
      throw new Error("there are too few free addresses");
    }
    return address;
  };
  const doorAddresses = (): CollectorAddresses => ({
    ...{ otlpGrpc: next(), otlpHttp: next(), apiV2Grpc: next(), thriftHttp: next(), zipkinHttp: next() },
  });
  const links = new Map<PairName, FaultLink[]>();
  const through = async (pair: PairName, target: string) => {
    const link = new FaultLink(target);
    links.set(pair, [...(links.get(pair) ?? []), link]);
    return await link.open();
  };
  const throughAll = async (pair: PairName, targets: CollectorAddresses): Promise<CollectorAddresses> => ({
    otlpGrpc: await through(pair, targets.otlpGrpc),
    otlpHttp: await through(pair, targets.otlpHttp),
    apiV2Grpc: await through(pair, targets.apiV2Grpc),
    thriftHttp: await through(pair, targets.thriftHttp),
    zipkinHttp: await through(pair, targets.zipkinHttp),
  });

  const store = next();
  const processOf = (name: ProcessName, program: string, args: readonly string[]) => {
    const admin = next();
    return new TestedProcess(
      name,
      `${program}/bin/${program}.ts`,
      [...args, "--admin.http.host-port", admin],
      `http://${admin}/`,
      settings.environment?.[name],
    );
  };
  const storage = processOf("storage", "tracing-storage", [
    ...["--storage.http.host-port", store, "--grpc.host-port", "127.0.0.1:0"],
    ...["--storage.data-dir", settings.data ?? join(folder, "storage"), ...(settings.storageOptions ?? [])],
  ]);

  const collectors: CollectorAddresses[] = [];
  const collector = async (name: "collector-1" | "collector-2") => {
    const own = doorAddresses();
    collectors.push(own);
    return processOf(name, "tracing-collector", [
      ...["--collector.otlp.grpc.host-port", own.otlpGrpc, "--collector.otlp.http.host-port", own.otlpHttp],
      ...["--collector.grpc-server.host-port", own.apiV2Grpc],
      ...[
        "--collector.http-server.host-port",
        own.thriftHttp,
        "--collector.zipkin.host-port",
        own.zipkinHttp,
      ],
      ...[
        "--collector.journal.dir",
        join(settings.journals ?? folder, name),
        "--collector.journal.sync",
        "always",
      ],
      ...["--clickhouse.url", `http://${await through("collector-storage", store)}`],
      ...(settings.collectorOptions ?? []),
    ]);
  };
  const both = [await collector("collector-1"), await collector("collector-2")] as const;

  const agentAddress = next();
  const agent = processOf("agent", "tracing-agent", [
    ...["--processor.tracing-compact.server-host-port", agentAddress],
    ...["--processor.tracing-binary.server-host-port", "127.0.0.1:0"],
    ...["--processor.zipkin-compact.server-host-port", "127.0.0.1:0"],
    ...["--http-server.host-port", "127.0.0.1:0"],
    "--reporter.grpc.host-port",
    (await Promise.all(collectors.map(({ apiV2Grpc }) => through("agent-collector", apiV2Grpc)))).join(","),
  ]);

  const queryHttp = next();
  const query = processOf("query", "tracing-query", [
    ...["--query.http-server.host-port", queryHttp, "--query.grpc-server.host-port", "127.0.0.1:0"],
    ...["--clickhouse.url", `http://${await through("query-storage", store)}`],
  ]);

  const fronts = doorAddresses();
  const front = next();
  const serverAdmin = next();
  const config = join(folder, "server.json");
  const behind = await Promise.all(collectors.map((addresses) => throughAll("server-collector", addresses)));
  const queryBehind = await through("server-query", queryHttp);
  writeFileSync(
    config,
    JSON.stringify(frontDoorConfig({ fronts, collectors: behind, front, query: queryBehind })),
  );
  const adminServer = new TestedProcess(
    "admin-server",
    "admin-server/bin/server.ts",
    ["run", "--config", config, ...(settings.serverOptions ?? [])],
    `http://${serverAdmin}/config/`,
    {
      SERVER_ADMIN: serverAdmin,
      // As root the server would install its root certificate in the system.
      SERVER_SKIP_INSTALL_TRUST: "1",
      XDG_CONFIG_HOME: join(folder, "server-config"),
      XDG_DATA_HOME: join(folder, "server-data"),
      ...settings.environment?.["admin-server"],
    },
  );

  const processes = {
    storage,
    ...{ "collector-1": both[0], "collector-2": both[1] },
    ...{ agent, query, "admin-server": adminServer },
  };
  return {
    ...{ folder, processes },
    spanAddresses: await throughAll("client-server", fronts),
    frontDoor: `http://${await through("client-server", front)}`,
    agentPort: Number(agentAddress.split(":")[1]),
    storageUrl: `http://${store}/`,
    async start() {
      await Promise.all(Object.values(processes).map((process) => process.start()));
    },
    setLinks(pair, state) {
      for (const link of links.get(pair) ?? []) {
        link.set(state);
      }
    },
    async close() {
      for (const process of Object.values(processes)) {
        await process.end("SIGKILL");
      }
      await Promise.all([...links.values()].flat().map((link) => link.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
