import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";

/** Storage, collector and query service, each a real child process; all addresses are `host:port`. */
export interface TracingProcesses {
  readonly otlpGrpc: string;
  readonly otlpHttp: string;
  readonly collectorGrpc: string;
  readonly thriftHttp: string;
  readonly zipkin: string;
  readonly queryHttp: string;
  readonly queryGrpc: string;
  /** ClickHouse's HTTP protocol. */
  readonly storageHttp: string;
  /** The remote storage API. */
  readonly storageGrpc: string;
  /** Admin ports, by the process's name. */
  readonly admin: Readonly<Record<"storage" | "collector" | "query", string>>;
  readonly storage: TestedProcess;
  readonly collector: TestedProcess;
  readonly query: TestedProcess;
  /** Folder with the data of all processes. */
  readonly folder: string;
  close(): Promise<void>;
}

/** More options of each process. */
export interface TracingOptions {
  readonly storage?: readonly string[];
  readonly collector?: readonly string[];
  readonly query?: readonly string[];
  /** Addresses, with user and password, that collector and query service use instead of the storage. */
  readonly clickHouse?: { readonly writer: string; readonly reader: string };
}

/** Starts the three processes, and resolves when they are healthy. */
export async function openTracing(more: TracingOptions = {}): Promise<TracingProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "tracing-security-"));
  const [
    otlpGrpc = "",
    otlpHttp = "",
    collectorGrpc = "",
    thriftHttp = "",
    zipkin = "",
    queryHttp = "",
    queryGrpc = "",
    storageHttp = "",
    storageGrpc = "",
    storageAdmin = "",
    collectorAdmin = "",
    queryAdmin = "",
  ] = await freeAddresses(12);
  const start = (name: string, admin: string, args: readonly string[]) =>
    new TestedProcess(
      name,
      `${name}/bin/${name}.ts`,
      [...args, "--admin.http.host-port", admin],
      `http://${admin}/`,
    );
  const url = (own?: string) => ["--clickhouse.url", own ?? `http://${storageHttp}`];
  const storage = start("tracing-storage", storageAdmin, [
    ...["--storage.http.host-port", storageHttp, "--storage.data-dir", join(folder, "storage")],
    ...["--grpc.host-port", storageGrpc],
    ...(more.storage ?? []),
  ]);
  const collector = start("tracing-collector", collectorAdmin, [
    ...["--collector.otlp.grpc.host-port", otlpGrpc, "--collector.otlp.http.host-port", otlpHttp],
    ...["--collector.grpc-server.host-port", collectorGrpc, "--collector.http-server.host-port", thriftHttp],
    ...["--collector.zipkin.host-port", zipkin, "--collector.journal.dir", join(folder, "journal")],
    ...url(more.clickHouse?.writer),
    ...(more.collector ?? []),
  ]);
  const query = start("tracing-query", queryAdmin, [
    ...["--query.http-server.host-port", queryHttp, "--query.grpc-server.host-port", queryGrpc],
    ...url(more.clickHouse?.reader),
    ...(more.query ?? []),
  ]);
  const close = async () => {
    for (const process of [query, collector, storage]) {
      await process.end("SIGTERM");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all([storage, collector, query].map((process) => process.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ otlpGrpc, otlpHttp, collectorGrpc, thriftHttp, zipkin, queryHttp, queryGrpc },
    ...{ storageHttp, storageGrpc, storage, collector, query, folder, close },
    admin: { storage: storageAdmin, collector: collectorAdmin, query: queryAdmin },
  };
}
