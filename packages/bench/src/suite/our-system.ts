import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readProgram } from "bundler/program";
import { freeAddresses } from "lifecycle/testing";
import { ClickhouseStore } from "../e2e/measure/clickhouse-store.ts";
import { type System, stopAll } from "./system.ts";
import { TestProcess } from "./test-process.ts";

/** A file that a process loads before its program. */
export interface Preload {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Differences from the processes of `npm start`. */
export interface OurSystemSettings {
  /** Further options of tracing-storage. */
  readonly storageArgs?: readonly string[];
  readonly collectorPreload?: Preload | undefined;
}

/** Starts a tracing process like `npm start`: the built program, with its options for Node. */
export function startBuilt(
  name: string,
  args: readonly string[],
  adminAddress: string,
  preload: Preload | undefined = undefined,
): TestProcess {
  const folder = new URL(`../../../${name}/`, import.meta.url);
  const file = fileURLToPath(new URL(`dist/${name}.cjs`, folder));
  const { nodeOptions, environment } = readProgram(folder);
  return new TestProcess({
    name,
    command: process.execPath,
    args: [
      ...nodeOptions,
      ...(preload === undefined ? [] : ["--require", preload.file]),
      ...[file, ...args, "--admin.http.host-port", adminAddress],
    ],
    environment: { ...environment, ...preload?.environment },
    healthUrl: `http://${adminAddress}/`,
    watchesParent: true,
  });
}

/**
 * Starts tracing-storage, tracing-collector and tracing-query on free ports.
 * @param folder an empty folder for all data
 * @param folder an empty folder for all data
 */
export async function startOurSystem(
  folder: string,
  signal: AbortSignal,
  { storageArgs = [], collectorPreload }: OurSystemSettings = {},
): Promise<System> {
  const [store = "", grpc = "", http = "", api = "", queryHttp = "", queryGrpc = "", ...admin] =
    await freeAddresses(9);
  const storage = startBuilt(
    "tracing-storage",
    [
      ...["--storage.http.host-port", store, "--storage.data-dir", join(folder, "storage")],
      ...["--grpc.host-port", "127.0.0.1:0", ...storageArgs],
    ],
    admin[0]!,
  );
  const collector = startBuilt(
    "tracing-collector",
    [
      ...["--collector.otlp.grpc.host-port", grpc, "--collector.otlp.http.host-port", http],
      ...["--collector.grpc-server.host-port", api, "--collector.http-server.host-port", "127.0.0.1:0"],
      ...["--collector.journal.dir", join(folder, "collector")],
      ...["--clickhouse.url", `http://${store}`],
    ],
    admin[1]!,
    collectorPreload,
  );
  const query = startBuilt(
    "tracing-query",
    [
      ...["--query.http-server.host-port", queryHttp, "--query.grpc-server.host-port", queryGrpc],
      ...["--clickhouse.url", `http://${store}`],
    ],
    admin[2]!,
  );
  const processes = [query, collector, storage];
  const notes: string[] = [];
  try {
    await Promise.all([storage.healthy(signal), collector.healthy(signal)]);
    await query.healthy(signal).catch((error: Error) => {
      notes.push(`queries are left out: ${error.message}\n`);
    });
  } catch (error) {
    await stopAll(processes);
    throw error;
  }
  return {
    grpcEndpoint: grpc,
    httpEndpoint: `http://${http}`,
    apiV2Address: api,
    queryUrl: notes.length === 0 ? `http://${queryHttp}` : undefined,
    store: new ClickhouseStore(`http://${store}`),
    storeUrl: `http://${store}`,
    storageMetricsUrl: `http://${admin[0]}/metrics`,
    processes,
    measured: [collector, storage].map(({ name, pid }) => ({ name, pid })),
    notes,
  };
}
