import type { TimeRange } from "../../../api/analysis-reader.ts";
import { tenantOf } from "../../../api/checked-query.ts";
import type { ReadOptions } from "../../../api/span-reader.ts";
import { type ReadKind, readCall } from "../calls/read-call.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import type { SchemaGuard } from "../schema/schema-guard.ts";
import type { Parameters } from "../search-sql.ts";
import { copiesSql, minutesOf } from "./copies-sql.ts";

/**
 * Milliseconds that an answer is kept. Copies are noted half a second to twenty seconds after they came, so three
 * more seconds matter little.
 */
const validMs = 3_000;
/**
 * Milliseconds that a tenant counts as one with copies. It keeps them for days, so each of its times is then asked
 * about on its own.
 */
const validWhereThereAre = 60_000;
const mostAnswers = 1_000;

/** Times of spans' starts, in whole minutes; undefined: all of the time. */
type Times = Partial<TimeRange> | undefined;

/** Tells whether spans of a time are known to be stored more than once; only then a count has to leave some out. */
export interface CopyQuestion {
  /** Whether any span of the tenant is. */
  areIn(range: Times, kind: ReadKind, options: ReadOptions): Promise<boolean>;
  /**
   * Reads each span once, and avoids a statement before the read where that is possible.
   * @param read as told whether there are copies. "ask": as without copies, and each row tells whether the tenant has any
   */
  readOnce<Row extends CopyRow>(
    range: TimeRange,
    options: ReadOptions,
    read: (areRepeated: boolean | "ask") => Promise<Row[]>,
  ): Promise<Row[]>;
}

/** A row that tells whether spans are known to be stored more than once, 1 or 0. */
export interface CopyRow {
  readonly areRepeated: number;
}

/** The answer of a store that counts a span as often as it is stored. */
export const noCopies: CopyQuestion = {
  areIn: async () => false,
  readOnce: (_range, _options, read) => read(false),
};

/** Services of the reader besides its connection. */
interface KnownCopiesParts {
  readonly database: string;
  readonly isCluster: boolean;
}

/** Asks the store, and remembers its answers for some seconds, because pages and graphs ask often. */
export class KnownCopies implements CopyQuestion {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #isCluster: boolean;
  /** Whether a tenant has copies anywhere. */
  readonly #ofTenants = new RecentAnswers(validMs, validWhereThereAre);
  /** By tenant and minutes. */
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
    // In one statement each server of a cluster would look for copies in its own shard only.
    if (this.#isCluster || this.#ofTenants.get(tenant) !== undefined) {
      return await read(await this.areIn(range, "analysis", options));
    }
    let rows: Row[] = [];
    // A statement of its own costs a third of a heat map of a minute.
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

/** Answers of a short while ago. */
class RecentAnswers {
  readonly #noForMs: number;
  readonly #yesForMs: number;
  /** The oldest first. */
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

  /** @param ask its answer is that of the time at which it is called; undefined: it told nothing */
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
