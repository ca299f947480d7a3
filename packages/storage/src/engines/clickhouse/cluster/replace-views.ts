import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { makeAnew, type NewView, takesViewsBeforeTables, viewStatement } from "../schema/change-views.ts";
import { viewChangeOf } from "../schema/final-views.ts";
import { type ClusterStatement, localSources } from "./cluster-statements.ts";
import { objectsOf, type StoredObject } from "./copy-schema.ts";

/** For each view that the statements change: its last query. Keys are names without the database. */
export function changedViews(statements: readonly ClusterStatement[]): ReadonlyMap<string, string> {
  const changes = statements.flatMap(({ sql }) => viewChangeOf(sql) ?? []);
  return new Map(changes.map(({ view, query }) => [view.slice(view.indexOf(".") + 1), query]));
}

/**
 * Recreates all views of a replica, some of them with a new query. During this time the replica refuses spans, and
 * senders repeat them. `MODIFY QUERY` would give the view an id, for the deduplication of inserts, that other replicas
 * do not know, see `withFinalViews`. Recreating also repairs views that an older version changed with `MODIFY QUERY`.
 * @param queries from `changedViews`
 * @returns false for a server before 24.10, where nothing was changed
 */
export async function replaceViews(
  connection: ClickHouseConnection,
  database: string,
  queries: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!(await takesViewsBeforeTables(connection, signal))) {
    return false;
  }
  const objects = await objectsOf(connection, database, signal);
  const views: NewView[] = [];
  for (const view of objects.filter(({ engine }) => engine === "MaterializedView")) {
    const statement = await statementOf(connection, view, queries.get(view.name));
    views.push({ view: `${database}.${view.name}`, statement });
  }
  await makeAnew(connection, database, localSources, views);
  return true;
}

/** The statement that creates a view, with the new query if there is one. */
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
  return await viewStatement(connection, head ?? "", query);
}
