const created = /^(CREATE MATERIALIZED VIEW IF NOT EXISTS (\S+) TO (\S+) AS)\n/;
const modified = /^ALTER TABLE (\S+) MODIFY QUERY\n/;

/** A view whose query changes. */
export interface ViewChange {
  /** Name of the view with its database. */
  readonly view: string;
  readonly query: string;
}

/** For each view that the statements create: the table that it fills. Both names have the database. */
export function targetsOfViews(statements: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    statements.flatMap((statement) => {
      const [, , view, target] = created.exec(statement) ?? [];
      return view === undefined || target === undefined ? [] : [[view, target] as const];
    }),
  );
}

/** The change that a statement makes to a view; undefined for other statements. */
export function viewChangeOf(statement: string): ViewChange | undefined {
  const [head, view] = modified.exec(statement) ?? [];
  return head === undefined || view === undefined ? undefined : { view, query: statement.slice(head.length) };
}

/**
 * Rewrites statements so that each view is created directly with its last query, after all tables. In the deduplication
 * of inserts, ClickHouse identifies a view by its name after the view was created or loaded, but by its UUID after
 * `MODIFY QUERY`. UUIDs differ between replicas: if a block is repeated to another replica, a modified view would count
 * the block twice.
 * @param statements statements of all steps, in their order
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
