import type { Settings } from "../calls/host-requests.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isSchemaMissing, isUnknownSetting } from "../clickhouse-errors.ts";
import { viewsBeforeTables } from "../schema/change-views.ts";
import { withoutInserts } from "../schema/without-inserts.ts";
import { localSources, localTable } from "./cluster-statements.ts";

/** A table or view of a database. */
export interface StoredObject {
  readonly name: string;
  /** Engine of the object, which decides the order of creation. */
  readonly engine: string;
  /** Statement that creates the object. */
  readonly statement: string;
}

/**
 * Objects of a database that must be copied: the tables of the shard, and the views that fill them. Callers recreate
 * all other objects.
 */
export async function objectsOf(
  connection: ClickHouseConnection,
  database: string,
  signal?: AbortSignal,
): Promise<StoredObject[]> {
  // The bytes that separate attributes and events are written as escapes in the statement. These bytes are not valid
  // UTF-8, and JSON would replace them.
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
 * Copies tables and views from another replica of the shard. Migrations cannot create the tables, because a replicated
 * table must be created in its present form. Other servers that list the replica send it spans as soon as its table of
 * spans exists. Spans that arrive before the views would be missing in all derived tables forever. So views are created
 * first and the table of spans last. Servers before 24.10 refuse views whose tables do not exist; on such servers,
 * views are created at the end.
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
  const create = ({ statement }: StoredObject, settings?: Settings) => {
    const sql = statement.replace(/^CREATE (TABLE|MATERIALIZED VIEW) /, "CREATE $1 IF NOT EXISTS ");
    return to.command(sql, signal, settings);
  };
  const isStale = ({ name }: StoredObject) => stale.some((view) => view.name === name);
  if (stale.length > 0) {
    await withoutInserts(to, database, localSources, async () => {
      for (const { name } of stale) {
        await to.command(`DROP VIEW IF EXISTS ${database}.${name} SYNC`, signal);
        before.delete(name);
      }
      for (const view of wanted.filter(isStale)) {
        await create(view, viewsBeforeTables);
        before.set(view.name, view);
      }
    });
  }
  const missing = wanted.filter(({ name }) => !before.has(name));
  const [views, tables] = [true, false].map((isView) =>
    missing.filter(({ engine }) => (engine === "MaterializedView") === isView),
  );
  const viewsOfOldServers: StoredObject[] = [];
  for (const view of views ?? []) {
    try {
      await create(view, viewsBeforeTables);
    } catch (error) {
      if (!isUnknownSetting(error) && !isSchemaMissing(error)) {
        throw error;
      }
      viewsOfOldServers.push(view);
    }
  }
  const isSource = ({ name }: StoredObject) => name === localTable("spans");
  for (const table of (tables ?? []).toSorted(
    (one, other) => Number(isSource(one)) - Number(isSource(other)),
  )) {
    await create(table);
  }
  for (const view of viewsOfOldServers) {
    await create(view);
  }
}
