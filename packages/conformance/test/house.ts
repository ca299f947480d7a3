// All five processes, each a real child process on ports of its own, with one temporary folder: what the end-to-end
// tests of this package run against.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Addresses } from "../src/suite.ts";

const packages = fileURLToPath(new URL("../../", import.meta.url));

/** Free TCP ports; all are held until all are found, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export class HouseProcess {
  readonly name: string;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #healthUrl: string;
  #child: ChildProcess | undefined;
  #log = "";

  constructor(name: string, program: string, args: readonly string[], healthUrl: string, environment = {}) {
    this.name = name;
    this.#program = join(packages, program);
    this.#args = args;
    this.#healthUrl = healthUrl;
    this.#environment = environment;
  }

  /** Everything it has logged since the test began. */
  get log(): string {
    return this.#log;
  }

  /** Of the child that runs now; 0 when none does. */
  get pid(): number {
    return this.isRunning ? (this.#child?.pid ?? 0) : 0;
  }

  /** Where it gives its metrics; not for the web server, whose admin port speaks another protocol. */
  get metricsUrl(): string {
    return new URL("/metrics", this.#healthUrl).href;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#program, ...this.#args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.#environment, LOG_ENCODING: "json" },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#log += chunk.toString();
      });
    }
    for (let attempt = 0; attempt < 600; attempt++) {
      if (!this.isRunning) throw new Error(`${this.name} ended:\n${this.#log}`);
      try {
        // The Origin is for the admin API: fetch says Sec-Fetch-Mode, as browsers do.
        if ((await fetch(this.#healthUrl, { headers: { Origin: new URL(this.#healthUrl).origin } })).ok)
          return;
      } catch {
        // Not listening yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${this.name} is not healthy:\n${this.#log}`);
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return null;
    const closed = once(child, "close");
    child.kill(signal);
    const [code] = (await closed) as [number | null];
    return code;
  }
}

export interface House {
  readonly addresses: Required<Addresses>;
  /** The web server's public address. */
  readonly frontDoor: string;
  /** UDP ports of the agent, Thrift compact and binary. */
  readonly agentCompactPort: number;
  readonly agentBinaryPort: number;
  /** ClickHouse's HTTP protocol. */
  readonly storageUrl: string;
  readonly storage: HouseProcess;
  readonly collector: HouseProcess;
  readonly agent: HouseProcess;
  readonly query: HouseProcess;
  readonly adminServer: HouseProcess;
  close(): Promise<void>;
}

/** Starts everything and resolves when all is healthy. */
export async function openHouse(): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "house-"));
  const ports = await freePorts(14);
  const local = (index: number) => `127.0.0.1:${ports[index]}`;
  const store = ["--clickhouse.url", `http://${local(0)}`];
  const admin = (index: number) => ["--admin.http.host-port", local(index)];

  const storage = new HouseProcess(
    "tracing-storage",
    "tracing-storage/bin/tracing-storage.ts",
    ["--storage.http.host-port", local(0), "--storage.data-dir", join(folder, "storage"), ...admin(1)],
    `http://${local(1)}/`,
  );
  const collector = new HouseProcess(
    "tracing-collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", local(2)],
      ...["--collector.otlp.http.host-port", local(3)],
      ...["--collector.grpc-server.host-port", local(4)],
      ...["--collector.http-server.host-port", "127.0.0.1:0"],
      ...["--collector.journal.dir", join(folder, "collector")],
      ...store,
      ...admin(5),
    ],
    `http://${local(5)}/`,
  );
  const agent = new HouseProcess(
    "tracing-agent",
    "tracing-agent/bin/tracing-agent.ts",
    [
      ...["--processor.tracing-compact.server-host-port", local(6)],
      ...["--processor.tracing-binary.server-host-port", local(7)],
      ...["--processor.zipkin-compact.server-host-port", "127.0.0.1:0"],
      ...["--http-server.host-port", "127.0.0.1:0"],
      ...["--reporter.grpc.host-port", local(4)],
      ...admin(8),
    ],
    `http://${local(8)}/`,
  );
  const query = new HouseProcess(
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
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    serverConfig,
    JSON.stringify({
      apps: {
        http: {
          servers: {
            front_door: {
              listen: [local(13)],
              routes: [
                {
                  match: [{ path: ["/v1/traces"] }],
                  handle: [{ handler: "reverse_proxy", upstreams: [{ dial: local(3) }] }],
                  terminal: true,
                },
                {
                  handle: [
                    { handler: "tracing", span: "{http.request.method} {http.request.uri.path}" },
                    { handler: "reverse_proxy", upstreams: [{ dial: local(9) }] },
                  ],
                },
              ],
            },
          },
        },
      },
    }),
  );
  const adminServer = new HouseProcess(
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
  await Promise.all(all.map((process) => process.start()));
  return {
    addresses: {
      otlpGrpc: local(2),
      otlpHttp: `http://${local(3)}`,
      collectorGrpc: local(4),
      query: `http://${local(9)}`,
      queryGrpc: local(10),
      admin: `http://${local(12)}`,
    },
    frontDoor: `http://${local(13)}`,
    agentCompactPort: ports[6] ?? 0,
    agentBinaryPort: ports[7] ?? 0,
    storageUrl: `http://${local(0)}`,
    storage,
    collector,
    agent,
    query,
    adminServer,
    async close() {
      for (const process of [adminServer, agent, collector, query, storage]) await process.end("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
