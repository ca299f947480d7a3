import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { makeAnew, type NewView, takesViewsBeforeTables, viewStatement } from "../schema/change-views.ts";
import { viewChangeOf } from "../schema/final-views.ts";
import { type ClusterStatement, localSources } from "./cluster-statements.ts";
import { objectsOf, type StoredObject } from "./copy-schema.ts";

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

/** The statement that makes a view, with the query that it shall have. */
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
