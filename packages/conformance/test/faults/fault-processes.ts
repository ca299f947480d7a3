import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import type { CollectorAddresses } from "./span-doors.ts";

/** A storage and a collector that syncs its journal, in a new folder. Neither process is started yet. */
export interface FaultProcesses {
  readonly storage: TestedProcess;
  readonly collector: TestedProcess;
  readonly addresses: CollectorAddresses;
  /** host:port */
  readonly collectorAdmin: string;
  readonly storageUrl: string;
  readonly folder: string;
  /** Kills running processes, and removes a new folder. */
  close(): Promise<void>;
}

export interface FaultProcessesSettings {
  /** Additional options of the collector. */
  readonly collectorOptions?: readonly string[];
  /** Folder of all data, which its owner removes; by default a temporary folder, which is removed at the end. */
  readonly folder?: string;
  /** Folder of the journal; by default a separate folder. */
  readonly journal?: string;
}

export async function openFaultProcesses({
  collectorOptions = [],
  folder: givenFolder,
  journal,
}: FaultProcessesSettings = {}): Promise<FaultProcesses> {
  const folder = givenFolder ?? mkdtempSync(join(tmpdir(), "faults-"));
  const [store, storeAdmin, otlpGrpc, otlpHttp, apiV2Grpc, thriftHttp, zipkinHttp, admin] =
    (await freeAddresses(8)) as [string, string, string, string, string, string, string, string];
  const storage = new TestedProcess(
    "tracing-storage",
    "tracing-storage/bin/tracing-storage.ts",
    [
      ...["--storage.http.host-port", store, "--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", "127.0.0.1:0", "--admin.http.host-port", storeAdmin],
    ],
    `http://${storeAdmin}/`,
  );
  const collector = new TestedProcess(
    "tracing-collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", otlpGrpc],
      ...["--collector.otlp.http.host-port", otlpHttp],
      ...["--collector.grpc-server.host-port", apiV2Grpc],
      ...["--collector.http-server.host-port", thriftHttp],
      ...["--collector.zipkin.host-port", zipkinHttp],
      ...[
        "--collector.journal.dir",
        journal ?? join(folder, "journal"),
        "--collector.journal.sync",
        "always",
      ],
      ...["--clickhouse.url", `http://${store}`, "--admin.http.host-port", admin],
      ...collectorOptions,
    ],
    `http://${admin}/`,
  );
  return {
    storage,
    collector,
    addresses: { otlpGrpc, otlpHttp, apiV2Grpc, thriftHttp, zipkinHttp },
    collectorAdmin: admin,
    storageUrl: `http://${store}/`,
    folder,
    async close() {
      await collector.end("SIGKILL");
      await storage.end("SIGKILL");
      if (givenFolder === undefined) {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** A metric without labels. @throws Error when the page lacks it */
export async function metricOf(process: TestedProcess, name: string): Promise<number> {
  const { text } = await ask(process.metricsUrl);
  const [, value] = new RegExp(`^${name} (\\S+)$`, "m").exec(text) ?? [];
  if (value === undefined) {
    throw new Error(`${process.name} has no metric ${name}`);
  }
  return Number(value);
}

/** Present or highest memory of a process in MiB; undefined when the system has no /proc. */
export function memoryMiB(process: TestedProcess, what: "VmRSS" | "VmHWM"): number | undefined {
  const file = `/proc/${process.pid}/status`;
  if (!existsSync(file)) {
    return undefined;
  }
  const [, kilobytes] = new RegExp(`^${what}:\\s+(\\d+) kB$`, "m").exec(readFileSync(file, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}

/** Number of open files and sockets of a process; undefined when the system has no /proc. */
export function openFiles(process: TestedProcess): number | undefined {
  const folder = `/proc/${process.pid}/fd`;
  return existsSync(folder) ? readdirSync(folder).length : undefined;
}
