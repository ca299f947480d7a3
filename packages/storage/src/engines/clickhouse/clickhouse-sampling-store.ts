import type {
  CalculatedProbabilities,
  OperationThroughput,
  SamplingStore,
} from "../../api/sampling-store.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** A claim of one owner to a lease. */
interface Claim {
  /** Process that holds the lease. */
  readonly owner: string;
  /** Time of the claim, with microseconds, in ClickHouse's text form. */
  readonly since: string;
}

interface ProbabilitiesRow {
  /** Process that calculated the probabilities. */
  readonly owner: string;
  /** Time of the calculation in milliseconds since the Unix epoch. */
  readonly calculatedUnixMs: string | number;
  /** Service of each entry. */
  readonly services: readonly string[];
  /** Operation of each entry. */
  readonly operations: readonly string[];
  /** Probability of each entry, from 0 to 1. */
  readonly probabilities: readonly number[];
  /** Sampled spans per second of each entry, from which the probability was computed. */
  readonly qps: readonly number[];
}

/**
 * Sampling data in ClickHouse.
 *
 * ClickHouse has no compare-and-set operation, so a lease is claimed first and checked afterwards. An owner writes a
 * claim while no claim is live, and the oldest live claim has the lease. When two owners claim at the same moment, the
 * later owner may not yet see the earlier claim. Both then have the lease until the later owner's next call. A claim
 * that loses is withdrawn immediately.
 */
export class ClickHouseSamplingStore implements SamplingStore {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;

  constructor(connection: ClickHouseConnection, schema: SchemaGuard, database: string) {
    this.#connection = connection;
    this.#schema = schema;
    this.#database = database;
  }

  async insertThroughput(
    throughput: readonly OperationThroughput[],
    takenUnixMs: number,
    { signal }: ReadOptions = {},
  ): Promise<void> {
    const taken = timeText(takenUnixMs);
    const rows = throughput.map((entry) => ({ taken, ...entry }));
    await this.#insert("operation_throughput", rows, signal);
  }

  async getThroughput(
    startUnixMs: number,
    endUnixMs: number,
    { signal }: ReadOptions = {},
  ): Promise<OperationThroughput[]> {
    const rows = await this.#rows<OperationThroughput>(
      `SELECT service, operation, toFloat64(sum(count)) AS count, groupUniqArrayArray(probabilities) AS probabilities
FROM ${this.#database}.operation_throughput
WHERE taken > fromUnixTimestamp64Milli({start:Int64}, 'UTC') AND taken <= fromUnixTimestamp64Milli({end:Int64}, 'UTC')
GROUP BY service, operation`,
      { start: startUnixMs, end: endUnixMs },
      signal,
    );
    return rows;
  }

  async insertProbabilities(
    { owner, calculatedUnixMs, operations }: CalculatedProbabilities,
    { signal }: ReadOptions = {},
  ): Promise<void> {
    const row = {
      calculated: timeText(calculatedUnixMs),
      owner,
      services: operations.map(({ service }) => service),
      operations: operations.map(({ operation }) => operation),
      probabilities: operations.map(({ probability }) => probability),
      qps: operations.map(({ qps }) => qps),
    };
    await this.#insert("sampling_probabilities", [row], signal);
  }

  async latestProbabilities({ signal }: ReadOptions = {}): Promise<CalculatedProbabilities | undefined> {
    const [row] = await this.#rows<ProbabilitiesRow>(
      `SELECT owner, toUnixTimestamp64Milli(calculated) AS calculatedUnixMs, services, operations, probabilities, qps
FROM ${this.#database}.sampling_probabilities ORDER BY calculated DESC, owner LIMIT 1`,
      {},
      signal,
    );
    if (row === undefined) {
      return undefined;
    }
    return {
      owner: row.owner,
      calculatedUnixMs: Number(row.calculatedUnixMs),
      operations: row.services.map((service, index) => ({
        service,
        operation: row.operations[index] ?? "",
        probability: row.probabilities[index] ?? 0,
        qps: row.qps[index] ?? 0,
      })),
    };
  }

  async acquireLease(
    name: string,
    owner: string,
    ttlMs: number,
    { signal }: ReadOptions = {},
  ): Promise<boolean> {
    const before = await this.#oldestClaim(name, signal);
    if (before !== undefined && before.owner !== owner) {
      return false;
    }
    const since = before === undefined ? {} : { since: before.since };
    await this.#insert("leases", [{ name, owner, ttl_ms: ttlMs, ...since }], signal);
    const after = await this.#oldestClaim(name, signal);
    if (after?.owner === owner) {
      return true;
    }
    await this.releaseLease(name, owner, signal === undefined ? {} : { signal });
    return false;
  }

  async releaseLease(name: string, owner: string, { signal }: ReadOptions = {}): Promise<void> {
    await this.#insert("leases", [{ name, owner, ttl_ms: 0 }], signal);
  }

  async #oldestClaim(name: string, signal: AbortSignal | undefined): Promise<Claim | undefined> {
    const [claim] = await this.#rows<Claim>(
      `SELECT owner, toString(argMax(leases.since, leases.updated)) AS since
FROM ${this.#database}.leases AS leases WHERE leases.name = {name:String} GROUP BY owner
HAVING argMax(leases.ends, leases.updated) > now64(6) ORDER BY since, owner LIMIT 1`,
      { name },
      signal,
    );
    return claim;
  }

  async #rows<Row>(
    sql: string,
    parameters: Readonly<Record<string, string | number>>,
    signal: AbortSignal | undefined,
  ): Promise<Row[]> {
    return await this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, { signal }), signal);
  }

  async #insert(table: string, rows: readonly object[], signal: AbortSignal | undefined): Promise<void> {
    if (rows.length === 0) {
      return;
    }
    const columns = Object.keys(rows[0] ?? {}).join(", ");
    const sql = `INSERT INTO ${this.#database}.${table} (${columns}) FORMAT JSONEachRow`;
    const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n"));
    // All rows are one block, so ClickHouse stores all of them or none.
    const settings = { async_insert: "0", max_insert_block_size: String(rows.length + 1) };
    await this.#schema.run(() => this.#connection.insert(sql, settings, body, signal), signal);
  }
}

/** A time in the form in which ClickHouse reads UTC columns. */
function timeText(unixMs: number): string {
  return new Date(unixMs).toISOString().replace("T", " ").replace("Z", "");
}
