import type { ClickHouseConnection } from "../clickhouse-connection.ts";

/** A table or a view. */
export interface StoredObject {
  /** Name of the table or view. */
  readonly name: string;
  /** Engine; it decides the order in which objects are made. */
  readonly engine: string;
  /** Statement that makes it. */
  readonly statement: string;
}

/**
 * The objects of a database that callers do not recreate: the shard's tables, and the views that fill them.
 */
export async function objectsOf(
  connection: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<StoredObject[]> {
  // The bytes that separate attributes and events are not UTF-8, and JSON would replace them, so they are
  // sent as escapes.
  const statement = ["FF", "FE", "FD", "FC"].reduce(
    (text, byte) => `replaceAll(${text}, unhex('${byte}'), '\\\\x${byte}')`,
    "create_table_query",
  );
  const sql =
    `SELECT name, engine, ${statement} AS statement FROM system.tables WHERE database = {database:String} ` +
    "AND (endsWith(name, '_local') OR engine = 'MaterializedView') ORDER BY engine = 'MaterializedView', name";
  return await connection.rows<StoredObject>(sql, { database }, { signal });
}

/**
 * Gives a replica the tables and views of another replica of its shard. Migrations cannot do this, because a
 * replicated table must be created in its present form.
 */
export async function copySchema(
  from: ClickHouseConnection,
  to: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<void> {
  const [wanted, there] = [await objectsOf(from, database, signal), await objectsOf(to, database, signal)];
  const before = new Map(there.map((object) => [object.name, object]));
  const names = new Set(wanted.map(({ name }) => name));
  const stale = there.filter(({ name, engine, statement }) => {
    if (engine !== "MaterializedView") {
      return false;
    }
    return !names.has(name) || wanted.some((view) => view.name === name && view.statement !== statement);
  });
  for (const { name } of stale) {
    await to.command(`DROP VIEW IF EXISTS ${database}.${name} SYNC`, signal);
    before.delete(name);
  }
  for (const { name, statement } of wanted) {
    if (!before.has(name)) {
      await to.command(
        statement.replace(/^CREATE (TABLE|MATERIALIZED VIEW) /, "CREATE $1 IF NOT EXISTS "),
        signal,
      );
    }
  }
}
