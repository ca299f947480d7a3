import { describe, expect, test } from "vitest";
import type { ClusterSettings } from "../cluster-settings.ts";
import { migrations } from "../schema/migrations.ts";
import { clusterSchemaStatements, clusterStatements } from "./cluster-statements.ts";

const main: ClusterSettings = { name: "main", isReplicated: true, onCluster: false, insertQuorum: 0 };
const startingWith = (statements: readonly string[], start: RegExp) =>
  statements.filter((statement) => start.test(statement));

describe("clusterSchemaStatements", () => {
  test("replicates each table that holds rows, and gives each one that spans the cluster", () => {
    const statements = clusterSchemaStatements("d", main);
    const stored = startingWith(statements, /^CREATE TABLE IF NOT EXISTS d\./);
    for (const statement of stored) {
      const [, table] = /d\.(\w+)_local\b/.exec(statement) ?? [];
      expect(statement).toMatch(
        new RegExp(
          `ENGINE = Replicated\\w*MergeTree\\('/clickhouse/tables/\\{shard\\}/d/${table}_local', '\\{replica\\}'`,
        ),
      );
      expect(statement).not.toContain("non_replicated");
      expect(statements.join("\n")).toContain(
        `CREATE OR REPLACE TABLE d.${table} AS d.${table}_local\nENGINE = Distributed('main', 'd', '${table}_local'`,
      );
    }
    expect(startingWith(statements, /^CREATE OR REPLACE TABLE/)).toHaveLength(stored.length);
  });

  test("keeps the columns by which rows are summed or replaced", () => {
    const all = clusterSchemaStatements("d", main).join("\n");
    expect(all).toContain("'{replica}', (calls, errors, total_duration))");
    expect(all).toContain("'{replica}', calls)");
    expect(all).toContain("'{replica}', updated)");
  });

  test("keeps views within the shard", () => {
    const views = startingWith(clusterSchemaStatements("d", main), /MATERIALIZED VIEW/);
    expect(views.length).toBeGreaterThan(3);
    for (const view of views) {
      for (const [reference] of view.matchAll(/\bd\.\w+/g)) {
        expect(reference).toMatch(/_(?:local|view)$/);
      }
    }
  });

  test("puts spans, their minutes and archived spans by trace id", () => {
    const all = clusterSchemaStatements("d", main).join("\n");
    for (const table of ["spans", "trace_minutes", "archived_spans"]) {
      expect(all).toContain(`'${table}_local', cityHash64(trace_id))`);
    }
  });

  test("says ON CLUSTER in every statement when asked, and only then", () => {
    for (const statement of clusterSchemaStatements("d", { ...main, onCluster: true })) {
      expect(statement).toMatch(/^\s*(?:CREATE|ALTER|DROP)[^(]*? ON CLUSTER 'main'/);
    }
    expect(clusterSchemaStatements("d", main).join()).not.toContain("ON CLUSTER");
  });

  test("has a form on a cluster for every step", () => {
    const asked = { ...main, onCluster: true };
    for (const { statements } of migrations) {
      for (const { sql, copies } of clusterStatements(statements("d"), "d", asked)) {
        expect(sql).toMatch(copies ? /^INSERT/ : /^\s*(?:CREATE|ALTER|DROP|KILL)[^(]*? ON CLUSTER 'main'/);
      }
    }
  });

  test("leaves the engines of shards without a Keeper as they are", () => {
    const all = clusterSchemaStatements("d", { ...main, isReplicated: false }).join("\n");
    expect(all).not.toContain("Replicated");
    expect(all).toContain("non_replicated_deduplication_window");
    expect(all).toContain("Distributed('main', 'd', 'spans_local', cityHash64(trace_id))");
  });
});

describe("clusterStatements", () => {
  test("marks what fills a table", () => {
    const copies = migrations
      .flatMap((migration) => clusterStatements(migration.statements("d"), "d", main))
      .filter((statement) => statement.copies);
    for (const { sql } of copies) {
      expect(sql).toMatch(/^INSERT INTO d\.\w+_local\b/);
    }
    expect(copies.length).toBeGreaterThan(0);
  });

  test("refuses a statement that it has no form for", () => {
    expect(() => clusterStatements(["OPTIMIZE TABLE d.spans"], "d", main)).toThrow("no form for a cluster");
  });
});
