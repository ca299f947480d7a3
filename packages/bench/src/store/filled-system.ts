import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import type { TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { startBuilt } from "../suite/our-system.ts";
import { type FillSize, fillStore } from "./fill-store.ts";
import { storeSql } from "./store-sql.ts";

/** Database of the spans. */
export const filledDatabase = "tracing";

/** The built tracing-storage with hours of spans, and tracing-query, which searches it. */
export interface FilledSystem {
  readonly store: TraceStore;
  /** The store's HTTP port. */
  readonly storeUrl: string;
  readonly storePid: number;
  /** End of the newest filled hour, in milliseconds since 1970. */
  readonly endUnixMs: number;
  readonly query: {
    readonly pid: number;
    readonly url: string;
    /** Address for gRPC, `host:port`. */
    readonly grpcAddress: string;
    healthy(signal: AbortSignal): Promise<void>;
  };
  stop(): Promise<void>;
}

/**
 * Starts both processes on free ports.
 * @param folder its data is kept; it is filled only when it is empty
 * @param folder its data is kept; it is filled only when it is empty
 */
export async function startFilledSystem(
  folder: string,
  size: FillSize,
  signal: AbortSignal,
): Promise<FilledSystem> {
  await mkdir(folder, { recursive: true });
  const [http = "", admin = "", queryHttp = "", queryGrpc = "", queryAdmin = ""] = await freeAddresses(5);
  const storageArgs = ["--storage.data-dir", join(folder, "storage"), "--storage.http.host-port", http];
  const storage = startBuilt("tracing-storage", [...storageArgs, "--grpc.host-port", "127.0.0.1:0"], admin);
  const storeUrl = `http://${http}`;
  const queryArgs = ["--clickhouse.url", storeUrl, "--query.http-server.host-port", queryHttp];
  const query = startBuilt(
    "tracing-query",
    [...queryArgs, "--query.grpc-server.host-port", queryGrpc],
    queryAdmin,
  );
  const store = openClickHouseStore({ urls: [storeUrl], requestTimeoutMs: 600_000 });
  const stop = async () => {
    await query.stop();
    await store.close();
    await storage.stop();
  };
  try {
    await storage.healthy(signal);
    await store.ready(signal);
    const filledEnd = await filledUntil(storeUrl);
    const endUnixMs = filledEnd ?? Date.now();
    const progress = (line: string) => process.stderr.write(`${line}\n`);
    if (filledEnd === undefined) {
      await fillStore(store, storeUrl, filledDatabase, size, endUnixMs, progress);
    }
    return {
      ...{ store, storeUrl, storePid: storage.pid, endUnixMs, stop },
      query: {
        pid: query.pid,
        url: `http://${queryHttp}`,
        grpcAddress: queryGrpc,
        healthy: (stopSignal) => query.healthy(stopSignal),
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The newest start of a span, rounded up to a second; undefined for an empty store. */
async function filledUntil(url: string): Promise<number | undefined> {
  const newest = await storeSql(
    url,
    `SELECT toUnixTimestamp(max(start)) FROM ${filledDatabase}.spans FORMAT TSV`,
  );
  return newest === "0" ? undefined : (Number(newest) + 1) * 1000;
}
