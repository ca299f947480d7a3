import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import type { FaultProcesses } from "./fault-processes.ts";
import type { CollectorAddresses } from "./span-doors.ts";

/** A further collector with its own journal; it is not started. */
export interface AnotherCollector {
  readonly process: TestedProcess;
  readonly addresses: CollectorAddresses;
}

export interface AnotherCollectorSettings {
  /** host:port of each port; by default the ports are free ones. */
  readonly addresses?: Partial<CollectorAddresses>;
  /** Address of ClickHouse's HTTP protocol; by default the address of the shared storage. */
  readonly storageUrl?: string;
  /** More options. */
  readonly options?: readonly string[];
}

/** The caller ends it before the processes are closed. */
export async function anotherCollector(
  backend: FaultProcesses,
  { addresses: given = {}, storageUrl = backend.storageUrl, options = [] }: AnotherCollectorSettings = {},
): Promise<AnotherCollector> {
  const [otlpGrpc = "", otlpHttp = "", apiV2Grpc = "", thriftHttp = "", zipkinHttp = "", admin = ""] =
    await freeAddresses(6);
  const addresses = { otlpGrpc, otlpHttp, apiV2Grpc, thriftHttp, zipkinHttp, ...given };
  const process = new TestedProcess(
    "another collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", addresses.otlpGrpc],
      ...["--collector.otlp.http.host-port", addresses.otlpHttp],
      ...["--collector.grpc-server.host-port", addresses.apiV2Grpc],
      ...["--collector.http-server.host-port", addresses.thriftHttp],
      ...["--collector.zipkin.host-port", addresses.zipkinHttp],
      ...["--collector.journal.dir", join(backend.folder, "another"), "--collector.journal.sync", "always"],
      ...["--clickhouse.url", storageUrl.replace(/\/$/, ""), "--admin.http.host-port", admin],
      ...options,
    ],
    `http://${admin}/`,
  );
  return { process, addresses };
}
