import type { Engine } from "../engine/engine.ts";
import type { EngineLimits } from "../engine/engine-config.ts";
import type { PointQuestion } from "./point-request.ts";
import type { PointStatement, TableName } from "./point-statement.ts";
import type { PointThread, ToldTable } from "./point-thread.ts";
import type { PointAnswer } from "./read-point.ts";
import { readTableFacts, type TableFacts } from "./table-facts.ts";

/** Time in milliseconds after which a table that could not be read is described again. */
const againMs = 1_000;
/**
 * Largest number of bytes in the engine's memory for one byte of an answer. The engine's limits are for its own memory,
 * so they are divided by this number.
 */
const memoryOfByte = 8;
/** Minimum number of hex digits of a key. */
const leastKey = 8;
/** Maximum number of known tables, including tables that do not exist. Beyond it, the oldest is forgotten. */
const maxTables = 64;

/** The engine's limits; for each of them, 0 means no limit. */
export type PointLimits = Pick<EngineLimits, "maxQuerySeconds" | "maxResultBytes">;

interface KnownTable {
  readonly version: number;
  /** Time until which the description is valid, if the table could not be read. */
  readonly untilMs: number;
  readonly table: ToldTable | undefined;
}

/**
 * Answers statements for few rows by key from the files of parts. The engine needs more time for planning such a
 * statement than for reading the rows; this reader needs no plan. The engine answers all other statements:
 * docs/adr/043-point-reads.md.
 */
export class PointReader {
  readonly #engine: Pick<Engine, "run" | "folder" | "tablesVersion">;
  readonly #thread: Pick<PointThread, "read" | "forget">;
  readonly #limits: PointLimits;
  readonly #tables = new Map<string, KnownTable>();

  constructor(
    engine: Pick<Engine, "run" | "folder" | "tablesVersion">,
    thread: Pick<PointThread, "read" | "forget">,
    limits: PointLimits,
  ) {
    this.#engine = engine;
    this.#thread = thread;
    this.#limits = limits;
  }

  get maxQuerySeconds(): number {
    return this.#limits.maxQuerySeconds;
  }

  /** @returns undefined when the engine must answer */
  async read({ statement, value }: PointQuestion): Promise<PointAnswer | undefined> {
    const rows = await this.#table(statement.table);
    const places = await this.#table(statement.places.table);
    if (rows === undefined || places === undefined) {
      return undefined;
    }
    if (!isAsKnown(statement, rows.facts, places.facts)) {
      return undefined;
    }
    const answer = await this.#thread.read({ rows, places }, statement, value);
    const { maxResultBytes } = this.#limits;
    const isLong =
      answer !== undefined && maxResultBytes > 0 && answer.bytes.length * memoryOfByte > maxResultBytes;
    return isLong ? undefined : answer;
  }

  /**
   * The description of a table, which is cached. After each statement that may have changed a table, the description is
   * created again.
   */
  async #table(name: TableName): Promise<ToldTable | undefined> {
    const path = `${name.database}.${name.table}`;
    const version = this.#engine.tablesVersion;
    const known = this.#tables.get(path);
    if (known?.version === version && (known.table !== undefined || performance.now() < known.untilMs)) {
      return known.table;
    }
    // When the description fails, the engine answers the statement, or reports the reason.
    const facts = await readTableFacts(this.#engine, name).catch(() => undefined);
    const keyTypes = facts === undefined ? undefined : keyTypesOf(facts);
    const table = facts === undefined || keyTypes === undefined ? undefined : { facts, keyTypes };
    this.#forget(path);
    this.#tables.set(path, { version, untilMs: performance.now() + againMs, table });
    if (this.#tables.size > maxTables) {
      this.#forget(this.#tables.keys().next().value ?? "");
    }
    return table;
  }

  #forget(path: string): void {
    const table = this.#tables.get(path)?.table;
    this.#tables.delete(path);
    if (table !== undefined) {
      this.#thread.forget(table);
    }
  }
}

/** True if the tables have the expected form, so that their parts can be read here. */
function isAsKnown(statement: PointStatement, rows: TableFacts, there: TableFacts): boolean {
  const { key, keys, columns, equal, partition, time, places } = statement;
  const [text = "", minute] = rows.primaryKey;
  const keyType = rows.columns.get(key);
  return (
    [...columns, equal.column].every((name) => rows.columns.has(name)) &&
    keys.every(({ length }) => length >= leastKey && `FixedString(${length / 2})` === keyType) &&
    // The table of rows must be ordered by a text and then by minute, and the table of places by the key. In both
    // tables, partitions of the same days must have the same names.
    /^(LowCardinality\(String\)|String)$/.test(rows.columns.get(text) ?? "") &&
    minute === `toStartOfMinute(${time})` &&
    there.primaryKey[0] === key &&
    there.columns.get(key) === keyType &&
    rows.partitionKey === partition &&
    there.partitionKey === places.partition &&
    rows.columns.get(partition) === there.columns.get(places.partition)
  );
}

/** @returns undefined if an expression is neither a column nor the minute of a column */
function keyTypesOf({ primaryKey, columns }: TableFacts): string[] | undefined {
  const types = primaryKey.map((expression) => {
    const minuteOf = /^toStartOfMinute\((\w+)\)$/.exec(expression)?.[1];
    return minuteOf === undefined ? columns.get(expression) : "DateTime";
  });
  return types.includes(undefined) ? undefined : (types as string[]);
}
