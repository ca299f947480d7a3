import type { Engine } from "../engine/engine.ts";
import { quoteIdentifier, quoteString } from "../sql/statement.ts";

/** A day of a table. */
export interface DayPartition {
  readonly database: string;
  readonly table: string;
  /** Id for `ALTER TABLE … DROP PARTITION ID`. */
  readonly id: string;
  /** Date of the day, such as 2026-11-21. */
  readonly day: string;
  readonly bytes: number;
  readonly rows: number;
}

function list(databases: readonly string[]): string {
  return databases.map(quoteString).join(", ");
}

async function rowsOf<Row>(engine: Engine, sql: string): Promise<Row[]> {
  const settings = "output_format_json_quote_64bit_integers = 0";
  const { bytes } = await engine.run({
    prepare: `SET ${settings}`,
    sql,
    format: "JSONEachRow",
    tag: "retention",
  });
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

/**
 * The days of all tables whose partition key is a single column of type Date. This process knows nothing else about the
 * schema, so a table that must keep its oldest days has another key.
 * @returns the days, oldest first
 */
export async function readDayPartitions(
  engine: Engine,
  databases: readonly string[],
): Promise<DayPartition[]> {
  if (databases.length === 0) {
    return [];
  }
  return await rowsOf<DayPartition>(
    engine,
    `SELECT p.database AS database, p.table AS table, p.partition_id AS id, p.partition AS day,
  sum(p.bytes_on_disk) AS bytes, sum(p.rows) AS rows
FROM system.parts AS p
WHERE p.active AND p.database IN (${list(databases)}) AND (p.database, p.table) IN (
  SELECT t.database, t.name FROM system.tables AS t
  INNER JOIN system.columns AS c ON c.database = t.database AND c.table = t.name AND c.name = t.partition_key
  WHERE t.database IN (${list(databases)}) AND c.type = 'Date')
GROUP BY database, table, id, day
ORDER BY day, database, table`,
  );
}

/** Size of all tables of the databases in bytes, including tables without days. */
export async function readTableBytes(engine: Engine, databases: readonly string[]): Promise<number> {
  if (databases.length === 0) {
    return 0;
  }
  const sql = `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database IN (${list(databases)})`;
  const [row] = await rowsOf<{ bytes: number }>(engine, sql);
  return row?.bytes ?? 0;
}

/** True when a database has the tables of our span store. */
export async function hasSpans(engine: Engine, database: string): Promise<boolean> {
  const sql = `SELECT count() AS found FROM system.tables WHERE database = ${quoteString(database)} AND name IN ('spans', 'archived_spans', 'trace_minutes', 'repeated_spans')`;
  const [row] = await rowsOf<{ found: number }>(engine, sql);
  return row?.found === 4;
}

/** Drops one day of one table. Running queries that read this day can still finish. */
export async function dropDayPartition(engine: Engine, { database, table, id }: DayPartition): Promise<void> {
  await engine.run({
    prepare: "",
    sql: `ALTER TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)} DROP PARTITION ID ${quoteString(id)}`,
    format: "Null",
    tag: "retention",
  });
}
