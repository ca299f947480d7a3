const created = /^(CREATE MATERIALIZED VIEW IF NOT EXISTS (\S+) TO \S+ AS)\n/;
const modified = /^ALTER TABLE (\S+) MODIFY QUERY\n/;

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
    const view = modified.exec(statement);
    if (view?.[1] !== undefined) {
      queries.set(view[1], statement.slice(view[0].length));
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
