const created = /^(CREATE MATERIALIZED VIEW IF NOT EXISTS (\S+) TO (\S+) AS)\n/;
const modified = /^ALTER TABLE (\S+) MODIFY QUERY\n/;

/** A view that gets another query. */
export interface ViewChange {
  /** With its database. */
  readonly view: string;
  readonly query: string;
}

/** The tables that views fill, by view, both with their database, of those that statements make. */
export function targetsOfViews(statements: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    statements.flatMap((statement) => {
      const [, , view, target] = created.exec(statement) ?? [];
      return view === undefined || target === undefined ? [] : [[view, target] as const];
    }),
  );
}

/** The change of a view that a statement makes; undefined for others. */
export function viewChangeOf(statement: string): ViewChange | undefined {
  const [head, view] = modified.exec(statement) ?? [];
  return head === undefined || view === undefined ? undefined : { view, query: statement.slice(head.length) };
}

/**
 * The statements that make views with their last query at once, after all tables.
 *
 * ClickHouse names a view by its UUID in the deduplication of inserts after `MODIFY QUERY`, and by its name after it was
 * created or loaded. UUIDs differ between replicas: a block that is sent again to another replica would be counted
 * twice by a modified view.
 * @param statements those of steps, in their order
 */
export function withFinalViews(statements: readonly string[]): string[] {
  const queries = new Map<string, string>();
  for (const statement of statements) {
    const change = viewChangeOf(statement);
    if (change !== undefined) {
      queries.set(change.view, change.query);
    }
  }
  const tables = statements.filter((statement) => !created.test(statement) && !modified.test(statement));
  const views = statements.flatMap((statement) => {
    const [, head, name] = created.exec(statement) ?? [];
    const query = queries.get(name ?? "");
    return head === undefined ? [] : [query === undefined ? statement : `${head}\n${query}`];
  });
  return [...tables, ...views];
}
