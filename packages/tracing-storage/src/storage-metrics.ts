import { statfs } from "node:fs/promises";
import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import type { DiskGuard } from "./engine/disk-guard.ts";
import type { Engine } from "./engine/engine.ts";
import type { QueryGate } from "./engine/query-gate.ts";

const prefix = "tracing_storage_";

/** The process's metrics, served on the admin port. */
export class StorageMetrics {
  /** Number of queries by kind: select, insert, other. Failed queries are counted as other. */
  readonly queries: Counter<"kind">;
  /** Time in seconds from a query's request to the end of its result. */
  readonly seconds: Histogram<"kind">;
  /** Errors by ClickHouse's error code. */
  readonly errors: Counter<"code">;
  /** Rows of inserts that succeeded. */
  readonly insertedRows: Counter;
  /** Bytes of the rows that clients inserted, after decompression. */
  readonly insertedBytes: Counter;
  /** Bytes of results, before they are compressed for the client. */
  readonly resultBytes: Counter;
  /** Queries that were cancelled because the client disconnected. */
  readonly cancelled: Counter;
  /** Statements for few rows by key, by reader: `parts` or the engine. */
  readonly pointReads: Counter<"by">;

  constructor(registry: Registry) {
    const registers = [registry];
    const counter = <Label extends string = string>(name: string, help: string, labelNames: Label[] = []) =>
      new Counter({ name: `${prefix}${name}`, help, labelNames, registers });
    this.queries = counter("queries_total", "Queries that ended.", ["kind"]);
    this.errors = counter("errors_total", "Queries that ended with an error, by ClickHouse's code.", [
      "code",
    ]);
    this.insertedRows = counter("inserted_rows_total", "Rows that clients sent and the engine took.");
    this.insertedBytes = counter("inserted_bytes_total", "Bytes of bodies of inserts, decompressed.");
    this.resultBytes = counter("result_bytes_total", "Bytes of results, before compression.");
    this.cancelled = counter("cancelled_total", "Queries cancelled because their client left.");
    this.pointReads = counter(
      "point_reads_total",
      "Statements for few rows by their keys, as for a trace: answered from the files of parts, or by the engine.",
      ["by"],
    );
    this.seconds = new Histogram({
      name: `${prefix}query_seconds`,
      help: "Time of a query, waiting included.",
      labelNames: ["kind"],
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100],
      registers,
    });
  }
}

/** The parts whose state is read at each scrape. */
interface WatchedParts {
  readonly engine: Engine;
  readonly gate: QueryGate;
  readonly guard: DiskGuard;
}

/**
 * Adds gauges that are read at each scrape: running and waiting queries, bytes and parts on disk, free space.
 */
export function watchEngine(registry: Registry, { engine, gate, guard }: WatchedParts): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}queries_running`,
    help: "Queries that run now.",
    registers,
    collect() {
      this.set(gate.running);
    },
  });
  new Gauge({
    name: `${prefix}queries_waiting`,
    help: "Queries that wait for a place.",
    registers,
    collect() {
      this.set(gate.waiting);
    },
  });
  const parts = new Gauge({ name: `${prefix}parts`, help: "Active parts of all tables.", registers });
  const rows = new Gauge({ name: `${prefix}rows`, help: "Rows in active parts of all tables.", registers });
  new Gauge({
    name: `${prefix}bytes_on_disk`,
    help: "Bytes of active parts of all tables.",
    registers,
    async collect() {
      const sql = "SELECT count(), sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active";
      const { bytes } = await engine.run({ prepare: "", sql, format: "TSV", tag: "metrics" });
      const [partCount, rowCount, byteCount] = bytes.toString("utf8").split("\t").map(Number);
      parts.set(partCount ?? 0);
      rows.set(rowCount ?? 0);
      this.set(byteCount ?? 0);
    },
  });
  new Gauge({
    name: `${prefix}disk_free_bytes`,
    help: "Room left on the disk of the data folder.",
    registers,
    async collect() {
      const { bavail, bsize } = await statfs(engine.folder.path);
      this.set(bavail * bsize);
    },
  });
  new Gauge({
    name: `${prefix}disk_full`,
    help: "1 while inserts are refused because the disk has less room than --storage.min-free-bytes.",
    registers,
    collect() {
      this.set(guard.isFull ? 1 : 0);
    },
  });
}
