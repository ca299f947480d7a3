import type { Settings } from "../calls/host-requests.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isUnknownSetting } from "../clickhouse-errors.ts";
import type { ViewChange } from "./final-views.ts";
import { sourcesOfViews, withoutInserts } from "./without-inserts.ts";

/** Time limit in milliseconds for running inserts to finish before a view is changed. */
const statementTimeoutMs = 600_000;

/** Allows creating a view before the tables that it reads and fills. Servers before 24.10 do not know the setting. */
export const viewsBeforeTables: Settings = { allow_materialized_view_with_bad_select: "1" };

/** A view with the statement that creates it. */
export interface NewView {
  /** Name of the view with its database. */
  readonly view: string;
  readonly statement: string;
}

/** @returns true when the server can create a view whose tables are missing */
export async function takesViewsBeforeTables(
  connection: ClickHouseConnection,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await connection.command("SELECT 1 FORMAT Null", signal, viewsBeforeTables);
    return true;
  } catch (error) {
    if (!isUnknownSetting(error)) {
      throw error;
    }
    return false;
  }
}

/**
 * The statement that creates a view, with a list of its columns. ClickHouse cannot derive the columns from the query
 * while the source table is missing.
 * @param head `CREATE MATERIALIZED VIEW IF NOT EXISTS … TO …`
 */
export async function viewStatement(
  connection: ClickHouseConnection,
  head: string,
  query: string,
): Promise<string> {
  const columns = await connection.rows<{ name: string; type: string }>(`DESCRIBE (${query})`, {});
  return `${head} (${columns.map(({ name, type }) => `\`${name}\` ${type}`).join(", ")}) AS\n${query}`;
}

/** Recreates views while the tables `sources` refuse spans. Senders repeat refused spans. */
export async function makeAnew(
  connection: ClickHouseConnection,
  database: string,
  sources: readonly string[],
  views: readonly NewView[],
): Promise<void> {
  await withoutInserts(connection, database, sources, async () => {
    for (const { view, statement } of views) {
      await connection.longCommand(`DROP VIEW IF EXISTS ${view} SYNC`, statementTimeoutMs);
      await connection.command(statement, undefined, viewsBeforeTables);
    }
  });
}

/**
 * Changes the queries of views on a single server. `MODIFY QUERY` would change the id of the view in the deduplication
 * of inserts. A block that was sent before and repeated afterwards would then be counted twice. If a process ends
 * between the two statements of a view, the tables stay detached. Spans are then refused until the next process starts,
 * or the server restarts.
 * @param changes view changes, each with the table that the view fills, as `database.table`
 * @returns false for a server before 24.10, where nothing was changed
 */
export async function changeViews(
  connection: ClickHouseConnection,
  database: string,
  changes: readonly (ViewChange & { readonly target: string })[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!(await takesViewsBeforeTables(connection, signal))) {
    return false;
  }
  const views: NewView[] = [];
  for (const { view, query, target } of changes) {
    const head = `CREATE MATERIALIZED VIEW IF NOT EXISTS ${view} TO ${target}`;
    views.push({ view, statement: await viewStatement(connection, head, query) });
  }
  await makeAnew(connection, database, sourcesOfViews, views);
  return true;
}
