import type { TimeRange } from "../../../api/analysis-reader.ts";
import { tenantOf } from "../../../api/checked-query.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";
import { type ReadKind, readCall } from "../calls/read-call.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import type { SchemaGuard } from "../schema/schema-guard.ts";
import type { Parameters } from "../search-sql.ts";
import { copiesSql, minutesOf } from "./copies-sql.ts";

/**
 * Time in milliseconds for which an answer is cached. Copies are recorded half a second to twenty seconds after their
 * arrival, so three more seconds matter little.
 */
const validMs = 3_000;
/**
 * Time in milliseconds for which the answer "the tenant has copies" is cached. It is longer, because copies stay for
 * days. For such a tenant, each time range is queried too.
 */
const validWhereThereAre = 60_000;
const mostAnswers = 1_000;

/** Time range of the spans' starts, in whole minutes. Undefined: no limit of time. */
type Times = Partial<TimeRange> | undefined;

/** Says whether spans of a time range are known to be stored more than once. Only then must a count remove copies. */
export interface CopyQuestion {
  /** True when a span of the tenant in this time range is stored more than once. */
  areIn(range: Times, kind: ReadKind, options: ReadOptions): Promise<boolean>;
  /**
   * Reads each span once, and avoids, if possible, a separate statement before the read.
   * @param read runs the read. Its argument says whether copies exist; "ask": the read ignores copies, and returns in
   * each row whether the tenant has copies
   */
  readOnce<Row extends CopyRow>(
    range: TimeRange,
    options: ReadOptions,
    read: (areRepeated: boolean | "ask") => Promise<Row[]>,
  ): Promise<Row[]>;
}

/** A row with `areRepeated`: 1 when spans are known to be stored more than once, otherwise 0. */
export interface CopyRow {
  readonly areRepeated: number;
}

/** For stores that count a span as often as it is stored. */
export const noCopies: CopyQuestion = {
  areIn: async () => false,
  readOnce: (_range, _options, read) => read(false),
};

/** Dependencies apart from the connection. */
interface KnownCopiesParts {
  readonly database: string;
  readonly isCluster: boolean;
}

/** Queries the store and caches the answers for some seconds, because pages and graphs query often. */
export class KnownCopies implements CopyQuestion {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #isCluster: boolean;
  /** For each tenant: true when it has copies in any time range. */
  readonly #ofTenants = new RecentAnswers(validMs, validWhereThereAre);
  /** Answers by tenant and minutes. */
  readonly #ofTimes = new RecentAnswers(validMs, validMs);

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    { database, isCluster }: KnownCopiesParts,
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#database = database;
    this.#isCluster = isCluster;
  }

  async areIn(range: Times, kind: ReadKind, options: ReadOptions): Promise<boolean> {
    const known = this.#known(range, options);
    if (known !== undefined) {
      return known;
    }
    const tenant = tenantOf(options);
    const ask = async (times: Times) => {
      const parameters: Parameters = {};
      const sql = copiesSql(this.#database, { range: times, tenant }, parameters);
      const rows = await this.#schema.run(
        () => this.#connection.rows<{ found: number }>(sql, parameters, readCall(options, kind)),
        options.signal,
      );
      return rows.length > 0;
    };
    const areAnywhere =
      this.#ofTenants.get(tenant) ?? (await this.#ofTenants.keep(tenant, () => ask(undefined)));
    return areAnywhere && (await this.#ofTimes.keep(keyOf(range, tenant), () => ask(range)));
  }

  async readOnce<Row extends CopyRow>(
    range: TimeRange,
    options: ReadOptions,
    read: (areRepeated: boolean | "ask") => Promise<Row[]>,
  ): Promise<Row[]> {
    const tenant = tenantOf(options);
    // In a single statement, each server of a cluster would search for copies only in its local shard.
    if (this.#isCluster || this.#ofTenants.get(tenant) !== undefined) {
      return await read(await this.areIn(range, "analysis", options));
    }
    let rows: Row[] = [];
    // A separate statement costs a third of a heat map of one minute.
    const areAnywhere = await this.#ofTenants.keep(tenant, async () => {
      rows = await read("ask");
      return rows[0] && rows[0].areRepeated === 1;
    });
    return areAnywhere === true && (await this.areIn(range, "analysis", options)) ? await read(true) : rows;
  }

  #known(range: Times, options: ReadOptions): boolean | undefined {
    const tenant = tenantOf(options);
    return this.#ofTenants.get(tenant) === false ? false : this.#ofTimes.get(keyOf(range, tenant));
  }
}

function keyOf(range: Times, tenant: string): string {
  const { fromMinute = "", toMinute = "" } = minutesOf(range);
  return `${fromMinute} ${toMinute} ${tenant}`;
}

/** Caches yes-or-no answers. A yes may be cached for a longer time than a no. */
class RecentAnswers {
  readonly #noForMs: number;
  readonly #yesForMs: number;
  /** Answers by key, oldest first. */
  readonly #answers = new Map<string, { readonly isYes: boolean; readonly askedMs: number }>();

  constructor(noForMs: number, yesForMs: number) {
    this.#noForMs = noForMs;
    this.#yesForMs = yesForMs;
  }

  get(key: string): boolean | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) {
      return undefined;
    }
    const validForMs = answer.isYes ? this.#yesForMs : this.#noForMs;
    return performance.now() - answer.askedMs < validForMs ? answer.isYes : undefined;
  }

  /** @param ask reads the answer, which is valid from the time of the call; undefined: the answer stays unknown */
  async keep<Told extends boolean | undefined>(key: string, ask: () => Promise<Told>): Promise<Told> {
    const askedMs = performance.now();
    const isYes = await ask();
    if (isYes === undefined) {
      return isYes;
    }
    this.#answers.delete(key);
    this.#answers.set(key, { isYes, askedMs });
    const [oldest] = this.#answers.size > mostAnswers ? this.#answers.keys() : [];
    if (oldest !== undefined) {
      this.#answers.delete(oldest);
    }
    return isYes;
  }
}
