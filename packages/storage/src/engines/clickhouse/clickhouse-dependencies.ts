import { randomUUID } from "node:crypto";
import { AdjustedSum } from "../../api/adjusted-counts.ts";
import type { CallCount } from "../../api/call-counts.ts";
import { tenantOf } from "../../api/checked-query.ts";
import type { DependencyLink, DependencyQuery, DependencyReader } from "../../api/dependency-reader.ts";
import { durationOfCallBucket } from "../../api/duration-buckets.ts";
import type { SamplingStore } from "../../api/sampling-store.ts";
import { checkedCountMinutes, type SpanCountQuery } from "../../api/span-counts.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { readCall } from "./calls/read-call.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { QueryParameters } from "./parameter-text.ts";
import {
  type CallDetail,
  type CountedCalls,
  callersSql,
  countedSql,
  linksSql,
  maxPendingNamed,
  settleSql,
} from "./schema/dependency-sql.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

const settleEveryMs = 60_000;
/**
 * Duration of the lease in milliseconds. The lease must exceed the duration of a step, because two steps at the same
 * time could count a call twice.
 */
const leaseMs = 300_000;
const minuteNano = 60_000_000_000n;

/** Runs a statement of `settleSql`, in a cluster once in each shard. */
export type RunSettleStep = (sql: string, name: "met" | "waited", signal: AbortSignal) => Promise<void>;

/** Dependencies of the reader, apart from its connection. */
interface DependenciesParts {
  /** Database with the counts of calls. */
  readonly database: string;
  /** Leases, so that only one process settles calls. */
  readonly leases: Pick<SamplingStore, "acquireLease">;
  /** Runs a step. Default: the step runs on the connection's server; a cluster runs it on each shard. */
  readonly runStep?: RunSettleStep | undefined;
}

/**
 * Links between services. A view counts calls while spans arrive, if parent and child are in one block. Other calls
 * wait in a table. Every minute the process with the lease settles the waiting calls whose parent has arrived. A read
 * between two steps searches for the parents of waiting calls itself.
 */
export class ClickHouseDependencies implements DependencyReader {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #leases: Pick<SamplingStore, "acquireLease">;
  readonly #runStep: RunSettleStep;
  readonly #owner = randomUUID();
  readonly #closed = new AbortController();
  #settledAt = Date.now();
  #step: Promise<void> | undefined;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    {
      database,
      leases,
      runStep = (sql, _name, signal) => connection.command(sql, signal),
    }: DependenciesParts,
  ) {
    this.#runStep = runStep;
    this.#connection = connection;
    this.#schema = schema;
    this.#database = database;
    this.#leases = leases;
  }

  async getDependencies(query: DependencyQuery, options: ReadOptions = {}): Promise<DependencyLink[]> {
    const minutes = { from: minuteNumber(query.startUnixNano), to: minuteNumber(query.endUnixNano) };
    return linksOf(await this.#calls("sums", minutes, options), query.adjusted === true);
  }

  /** See `MetricsReader`. */
  async getCallCounts(query: SpanCountQuery, options: ReadOptions = {}): Promise<CallCount[]> {
    const { startMinute, endMinute } = checkedCountMinutes(query);
    const calls = await this.#calls("details", { from: startMinute, to: endMinute - 1 }, options);
    return sumsBy(calls, ({ parent, child, kind, failed, bucket }) =>
      JSON.stringify([parent, child, kind, failed, bucket]),
    ).map(({ parent, child, kind = "unspecified", failed = false, bucket = 0, calls: count }) => ({
      parent,
      child,
      spanKind: kind,
      failed,
      durationNano: durationOfCallBucket(bucket),
      calls: count,
    }));
  }

  /** Calls that have a parent. One call may have several rows. @param minutes first and last minute, both inclusive */
  async #calls(
    detail: CallDetail,
    minutes: { readonly from: number; readonly to: number },
    options: ReadOptions,
  ): Promise<CountedCalls[]> {
    const parameters = { tenant: tenantOf(options), ...minutes };
    const counted = await this.#rows<CountedCalls>(countedSql(this.#database, detail), parameters, options);
    const settled = counted.filter(({ parentKey }) => parentKey === "0");
    const waiting = counted.filter(({ parentKey }) => parentKey !== "0");
    if (waiting.length > maxPendingNamed) {
      return await this.#rows<CountedCalls>(linksSql(this.#database, detail), parameters, options);
    }
    const open = stillWaiting(waiting);
    if (open.length === 0) {
      return settled;
    }
    const found = await this.#rows<{ readonly key: string; readonly service: string }>(
      callersSql(this.#database, open),
      {},
      options,
    );
    const parents = new Map(found.map(({ key, service }) => [key, service]));
    const met = open.flatMap((calls) => {
      const parent = parents.get(calls.parentKey);
      return parent === undefined || parent === calls.child ? [] : [{ ...calls, parent }];
    });
    return [...settled, ...met];
  }

  #rows<Row>(sql: string, parameters: QueryParameters, options: ReadOptions): Promise<Row[]> {
    const read = readCall(options, "metrics");
    return this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, read), options.signal);
  }

  /**
   * Called after each block; starts a step when a minute has passed since the last step. The writer does not wait for
   * the step. If a step fails, the next step repeats its work.
   */
  blockWritten(): void {
    if (this.#step !== undefined || Date.now() - this.#settledAt < settleEveryMs) {
      return;
    }
    this.#settledAt = Date.now();
    this.#step = this.settle(this.#closed.signal)
      .catch((error: unknown) => {
        if (!(error instanceof StorageError)) {
          throw error;
        }
      })
      .finally(() => {
        this.#step = undefined;
      });
  }

  /** Runs one step, unless another process has the lease. @throws StorageError */
  async settle(signal: AbortSignal): Promise<void> {
    if (!(await this.#leases.acquireLease("dependencies", this.#owner, leaseMs, { signal }))) {
      return;
    }
    for (const isLast of [false, true]) {
      const sql = settleSql(this.#database, isLast);
      await this.#schema.run(() => this.#runStep(sql, isLast ? "waited" : "met", signal), signal);
    }
  }

  /** Aborts the running step. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#step;
  }
}

/**
 * Number of the minute since the Unix epoch. Numbers outside the range of Int32 become its smallest or largest value.
 */
function minuteNumber(unixNano: bigint): number {
  const minute = unixNano / minuteNano;
  return Number(minute < -(2n ** 31n) ? -(2n ** 31n) : minute >= 2n ** 31n ? 2n ** 31n - 1n : minute);
}

/**
 * Removes rows that cancel each other. A copy of a span adds a row with a negative number of calls, which cancels a
 * call that was counted twice.
 */
function stillWaiting(rows: readonly CountedCalls[]): CountedCalls[] {
  const key = ({ parentKey, startMinute, child, kind, failed, bucket, adjusted_count }: CountedCalls) =>
    JSON.stringify([parentKey, startMinute, child, kind, failed, bucket, adjusted_count]);
  return sumsBy(rows, key, ({ calls }) => calls !== 0);
}

/** One link for each pair of services, in order of their names. */
function linksOf(calls: readonly CountedCalls[], isAdjusted: boolean): DependencyLink[] {
  const byName = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  const keyOf = ({ parent, child }: CountedCalls) => JSON.stringify([parent, child]);
  const adjusted = new Map<string, AdjustedSum>();
  for (const row of isAdjusted ? calls : []) {
    const sum = adjusted.get(keyOf(row)) ?? new AdjustedSum();
    adjusted.set(keyOf(row), sum);
    sum.add(row.calls, row.adjusted_count);
  }
  return sumsBy(calls, keyOf)
    .map((row) => ({
      ...{ parent: row.parent, child: row.child, callCount: row.calls, source: "" },
      ...(isAdjusted ? { adjusted: adjusted.get(keyOf(row))?.counts } : {}),
    }))
    .sort((one, other) => byName(one.parent, other.parent) || byName(one.child, other.child));
}

/** Merges all rows with the same key into one row. Keys whose calls add up to zero are removed. */
function sumsBy(
  rows: readonly CountedCalls[],
  keyOf: (row: CountedCalls) => string,
  isKept: (row: CountedCalls) => boolean = ({ calls }) => calls > 0,
): CountedCalls[] {
  const sums = new Map<string, CountedCalls>();
  for (const row of rows) {
    const key = keyOf(row);
    sums.set(key, { ...row, calls: row.calls + (sums.get(key)?.calls ?? 0) });
  }
  return [...sums.values()].filter(isKept);
}
