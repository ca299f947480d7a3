import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isUnknownSetting } from "../clickhouse-errors.ts";
import { viewChangeOf } from "../schema/final-views.ts";
import type { ClusterStatement } from "./cluster-statements.ts";
import { objectsOf, type StoredObject, viewsBeforeTables } from "./copy-schema.ts";
import { withoutInserts } from "./without-inserts.ts";

/** Longest wait for inserts that a view still takes. Milliseconds. */
const statementTimeoutMs = 600_000;

/** The last query of each view that statements change, by the view's name without its database. */
export function changedViews(statements: readonly ClusterStatement[]): ReadonlyMap<string, string> {
  const changes = statements.flatMap(({ sql }) => viewChangeOf(sql) ?? []);
  return new Map(changes.map(({ view, query }) => [view.slice(view.indexOf(".") + 1), query]));
}

/**
 * Makes all views of a replica anew, some with another query, and takes no spans meanwhile: senders send those again.
 *
 * `MODIFY QUERY` would change the view's id in the deduplication of inserts to one that other replicas do not know,
 * see `withFinalViews`. This also mends views that an older version changed so.
 * @param queries from `changedViews`
 * @returns false for a server before 24.10, where nothing was changed
 */
export async function replaceViews(
  connection: ClickHouseConnection,
  database: string,
  queries: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await connection.command("SELECT 1 FORMAT Null", signal, viewsBeforeTables);
  } catch (error) {
    if (!isUnknownSetting(error)) {
      throw error;
    }
    return false;
  }
  const objects = await objectsOf(connection, database, signal);
  const views: { readonly name: string; readonly statement: string }[] = [];
  for (const view of objects.filter(({ engine }) => engine === "MaterializedView")) {
    const statement = await statementOf(connection, view, queries.get(view.name));
    views.push({ name: view.name, statement });
  }
  await withoutInserts(connection, database, async () => {
    for (const { name, statement } of views) {
      await connection.longCommand(`DROP VIEW IF EXISTS ${database}.${name} SYNC`, statementTimeoutMs);
      await connection.command(statement, undefined, viewsBeforeTables);
    }
  });
  return true;
}

/** The statement that makes a view, with its columns: they cannot be told from the query while its table is away. */
async function statementOf(
  connection: ClickHouseConnection,
  { statement }: StoredObject,
  query: string | undefined,
): Promise<string> {
  const create = statement.replace(/^CREATE MATERIALIZED VIEW /, "CREATE MATERIALIZED VIEW IF NOT EXISTS ");
  if (query === undefined) {
    return create;
  }
  const [head] = /^CREATE MATERIALIZED VIEW IF NOT EXISTS \S+ TO \S+/.exec(create) ?? [];
  const columns = await connection.rows<{ name: string; type: string }>(`DESCRIBE (${query})`, {});
  return `${head} (${columns.map(({ name, type }) => `\`${name}\` ${type}`).join(", ")}) AS\n${query}`;
}
