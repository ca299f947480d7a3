import type { Settings } from "../calls/host-requests.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isUnknownSetting } from "../clickhouse-errors.ts";
import type { ViewChange } from "./final-views.ts";
import { sourcesOfViews, withoutInserts } from "./without-inserts.ts";

/** Longest wait for inserts that a view still takes. Milliseconds. */
const statementTimeoutMs = 600_000;

/** Lets a view be made before the tables that it reads and fills. Servers before 24.10 do not know the setting. */
export const viewsBeforeTables: Settings = { allow_materialized_view_with_bad_select: "1" };

/** A view and the statement that makes it. */
export interface NewView {
  /** With its database. */
  readonly view: string;
  readonly statement: string;
}

/** @returns whether the server can make a view whose tables are away */
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
 * The statement that makes a view, with its columns: they cannot be told from the query while its table is away.
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

/** Makes views anew while the tables `sources` take no spans: senders send those again. */
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
 * Gives views of a single server other queries. `MODIFY QUERY` would change the view's id in the deduplication of
 * inserts: a block that was sent before and is sent again afterwards would be counted twice.
 *
 * A process that ends between the two statements of a view leaves the tables away. Nothing is taken without the view
 * until the next process comes, or the server starts again.
 * @param changes each with the table that the view fills, with its database
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
