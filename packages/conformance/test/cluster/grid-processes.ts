import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import type { CollectorAddresses } from "../faults/span-doors.ts";

/** The ClickHouse servers of one cluster with shards of two replicas, from the environment. */
export interface Grid {
  /** Addresses of all servers; servers of the same shard are adjacent. */
  readonly urls: readonly string[];
  /** Name of the cluster in the servers' configuration. */
  readonly cluster: string;
  /** Runs the environment's command for this action on the last server of the list. */
  last(action: GridAction): Promise<void>;
}

/** `stop` makes the server hang like SIGSTOP; `cont` ends this. */
export const gridActions = ["kill", "start", "stop", "cont"] as const;
export type GridAction = (typeof gridActions)[number];

const variable = "TRACING_TEST_CLUSTER_GRID";

/** @returns undefined when `TRACING_TEST_CLUSTER_GRID` is not set, or a command for the last server is missing */
export function namedGrid(): Grid | undefined {
  const urls = (process.env[variable] ?? "").split(",").filter((url) => url !== "");
  const commands = new Map(
    gridActions.map((action) => [action, process.env[`${variable}_${action.toUpperCase()}`]]),
  );
  if (urls.length === 0 || [...commands.values()].includes(undefined)) {
    return undefined;
  }
  return {
    urls,
    cluster: process.env[`${variable}_NAME`] ?? "main",
    async last(action) {
      await promisify(execFile)("/bin/sh", ["-c", commands.get(action) ?? ""]);
    },
  };
}

/** A collector and a query service for a cluster, with a new database. */
export interface GridProcesses {
  readonly collector: TestedProcess;
  readonly query: TestedProcess;
  readonly addresses: CollectorAddresses;
  /** URL of the query service's API, without a slash at the end. */
  readonly queryUrl: string;
  readonly database: string;
  /** Sends a statement to the first server of the grid. @throws Error for any status other than 200 */
  sql(statement: string): Promise<string>;
  /** Kills the processes and drops the database. */
  close(): Promise<void>;
}

/** Starts both processes. */
export async function openGridProcesses({ urls, cluster }: Grid): Promise<GridProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "grid-"));
  const database = `test_${randomBytes(6).toString("hex")}`;
  const free = await freeAddresses(8);
  const [otlpGrpc, otlpHttp, apiV2Grpc, thriftHttp, zipkinHttp, admin, queryHttp, queryAdmin] = free as [
    ...[string, string, string, string, string, string, string, string],
  ];
  const store = [
    ...["--clickhouse.url", urls.join(","), "--clickhouse.cluster", cluster],
    ...["--clickhouse.database", database],
  ];
  const collector = new TestedProcess(
    "tracing-collector",
    "tracing-collector/bin/tracing-collector.ts",
    [
      ...["--collector.otlp.grpc.host-port", otlpGrpc, "--collector.otlp.http.host-port", otlpHttp],
      ...["--collector.grpc-server.host-port", apiV2Grpc, "--collector.http-server.host-port", thriftHttp],
      ...["--collector.zipkin.host-port", zipkinHttp, "--collector.journal.dir", join(folder, "journal")],
      ...["--admin.http.host-port", admin, ...store],
    ],
    `http://${admin}/`,
  );
  const query = new TestedProcess(
    "tracing-query",
    "tracing-query/bin/tracing-query.ts",
    [
      ...["--query.http-server.host-port", queryHttp, "--query.grpc-server.host-port", "127.0.0.1:0"],
      ...["--admin.http.host-port", queryAdmin, ...store],
    ],
    `http://${queryAdmin}/`,
  );
  const sqlAt = async (url: string, statement: string) => {
    const { status, text } = await ask(url, { method: "POST", body: statement });
    if (status !== 200) {
      throw new Error(`${url} answers ${status}: ${text.slice(0, 300)}`);
    }
    return text.trim();
  };
  const backend: GridProcesses = {
    ...{ collector, query, database, queryUrl: `http://${queryHttp}` },
    addresses: { otlpGrpc, otlpHttp, apiV2Grpc, thriftHttp, zipkinHttp },
    sql: (statement) => sqlAt(urls[0] ?? "", statement),
    async close() {
      await Promise.all([collector.end("SIGKILL"), query.end("SIGKILL")]);
      for (const url of urls) {
        await sqlAt(url, `DROP DATABASE IF EXISTS ${database} SYNC`);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await query.start();
    await collector.start();
  } catch (error) {
    await backend.close();
    throw error;
  }
  return backend;
}
