import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freeAddresses } from "lifecycle/testing";
import { type Preload, startBuilt, startOurSystem } from "../suite/our-system.ts";
import { type System, stopAll } from "../suite/system.ts";
import { TestProcess } from "../suite/test-process.ts";
import type { SpanClock } from "./span-clock.ts";

/** All five processes under test. */
export interface SoakSystem {
  readonly system: System;
  readonly processes: readonly TestProcess[];
  /** Base URL of the web server, through which OTLP/HTTP and searches go. */
  readonly frontDoor: string;
  /** UDP port for Thrift compact. */
  readonly agentPort: number;
  readonly agentMetricsUrl: string;
}

export interface SoakSystemSettings {
  /** Further options of tracing-storage. */
  readonly storageArgs?: readonly string[];
  /** Clock of the collector, which decides the day on which spans count as received. */
  readonly clock?: SpanClock | undefined;
}

const serverProgram = fileURLToPath(new URL("../../../admin-server/dist/server.cjs", import.meta.url));

/**
 * Starts all processes on free ports.
 * @param folder an empty folder for all data
 * @throws Error when a process does not become healthy
 */
export async function startSoakSystem(
  folder: string,
  signal: AbortSignal,
  { storageArgs = [], clock }: SoakSystemSettings = {},
): Promise<SoakSystem> {
  const collectorPreload = clock === undefined ? undefined : fastClock(clock);
  const system = await startOurSystem(folder, signal, { storageArgs, collectorPreload });
  const [front = "", serverAdmin = "", udp = "", agentAdmin = ""] = await freeAddresses(4);
  const started = [...system.processes];
  try {
    if (system.queryUrl === undefined) {
      throw new Error(system.notes.join(""));
    }
    const agent = startBuilt(
      "tracing-agent",
      [
        ...["--processor.tracing-compact.server-host-port", udp],
        ...["--processor.tracing-binary.server-host-port", "127.0.0.1:0"],
        ...["--processor.zipkin-compact.server-host-port", "127.0.0.1:0"],
        ...["--http-server.host-port", "127.0.0.1:0"],
        ...["--reporter.grpc.host-port", system.apiV2Address ?? ""],
      ],
      agentAdmin,
    );
    started.unshift(agent);
    const config = join(folder, "server.json");
    await writeFile(
      config,
      JSON.stringify(frontDoor(serverAdmin, front, system.httpEndpoint, system.queryUrl)),
    );
    const server = new TestProcess({
      name: "admin-server",
      command: process.execPath,
      args: [serverProgram, "run", "--config", config, "--log-level", "error"],
      environment: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, SERVER_SKIP_INSTALL_TRUST: "1" },
      healthUrl: `http://${front}/api/services`,
      watchesParent: false,
    });
    started.unshift(server);
    await Promise.all([agent.healthy(signal), server.healthy(signal)]);
  } catch (error) {
    await stopAll(started);
    throw error;
  }
  return {
    ...{ system, processes: started, frontDoor: `http://${front}` },
    ...{ agentPort: Number(udp.split(":")[1]), agentMetricsUrl: `http://${agentAdmin}/metrics` },
  };
}

function fastClock({ endMs, speed }: SpanClock): Preload {
  const environment = { SOAK_CLOCK_END_MS: String(endMs), SOAK_CLOCK_SPEED: String(speed) };
  return { file: fileURLToPath(new URL("fast-clock.ts", import.meta.url)), environment };
}

function frontDoor(admin: string, front: string, collectorUrl: string, queryUrl: string): object {
  const proxy = (url: string) => ({ handler: "reverse_proxy", upstreams: [{ dial: new URL(url).host }] });
  const routes = [
    { match: [{ path: ["/v1/traces"] }], handle: [proxy(collectorUrl)], terminal: true },
    { handle: [proxy(queryUrl)] },
  ];
  return {
    admin: { listen: admin, config: { persist: false } },
    apps: { http: { servers: { front: { listen: [front], automatic_https: { disable: true }, routes } } } },
  };
}
