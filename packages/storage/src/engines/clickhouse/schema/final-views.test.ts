import { expect, test } from "vitest";
import { withFinalViews } from "./final-views.ts";
import { newDatabase } from "./new-database.ts";

test("makes a view with its last query, after the columns that it fills", () => {
  const view = (query: string) => `CREATE MATERIALIZED VIEW IF NOT EXISTS d.v TO d.t AS\n${query}`;
  const [table, column] = ["CREATE TABLE IF NOT EXISTS d.t (a UInt8)", "ALTER TABLE d.t ADD COLUMN b UInt8"];
  const change = (query: string) => `ALTER TABLE d.v MODIFY QUERY\n${query}`;
  expect(withFinalViews([table, view("SELECT 1"), change("SELECT 2"), column, change("SELECT 3")])).toEqual([
    table,
    column,
    view("SELECT 3"),
  ]);
  expect(withFinalViews([view("SELECT 1"), table])).toEqual([table, view("SELECT 1")]);
});

test("no view of a new database is changed after it was made", () => {
  const statements = newDatabase.statements("tracing");
  expect(statements.filter((sql) => /MATERIALIZED VIEW/.test(sql))).toHaveLength(6);
  expect(statements.filter((sql) => /MODIFY QUERY/.test(sql))).toEqual([]);
});
