import type { Engine } from "../engine/engine.ts";
import { quoteIdentifier, quoteString } from "../sql/statement.ts";

/** A table with parts that were never merged. */
export interface FreshTable {
  readonly database: string;
  readonly table: string;
}

/** What is worth a merge, and when. */
export interface FreshPartLimits {
  /** Seconds since the last insert into the table, or merge in it. */
  readonly calmSeconds: number;
  /** With fewer rows a search reads them all in a few milliseconds. */
  readonly leastRows: number;
}

/**
 * Tables with indexes that nothing was written to for a while and nothing is merged in, and of which the newest parts of a
 * partition, three or more, were never merged. For two the engine would rather take their large neighbours with them. Older
 * ones between merged parts are left: merging them would mean merging their neighbours.
 */
export async function readFreshTables(
  engine: Engine,
  databases: readonly string[],
  { calmSeconds, leastRows }: FreshPartLimits,
): Promise<FreshTable[]> {
  const { bytes } = await engine.run({
    prepare: "",
    sql: `SELECT database, table FROM (
  SELECT database, table, max(modification_time) AS written,
    arraySort(part -> part.1, groupArray((min_block_number, level, rows))) AS parts,
    arrayFilter((part, at) -> at > arrayLastIndex(p -> p.2 > 0, parts), parts, arrayEnumerate(parts)) AS fresh,
    length(fresh) > 2 AND arraySum(part -> part.3, fresh) >= ${leastRows} AS is_due
  FROM system.parts
  WHERE active AND database IN (${databases.map(quoteString).join(", ")})
    AND (database, table) IN (SELECT database, table FROM system.data_skipping_indices)
    AND (database, table) NOT IN (SELECT database, table FROM system.merges)
  GROUP BY database, table, partition_id
)
GROUP BY database, table HAVING max(is_due) AND max(written) <= now() - ${calmSeconds}`,
    format: "JSONEachRow",
    tag: "merging",
  });
  const lines = bytes.toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FreshTable);
}

/**
 * One merge: of parts that are next to each other, small and many, as the engine weighs it. (With a partition it would be all of that.)
 * Resolves when it is done.
 */
export async function mergeOnce(engine: Engine, { database, table }: FreshTable): Promise<void> {
  await engine.run({
    prepare: "",
    sql: `OPTIMIZE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)}`,
    format: "Null",
    tag: "merging",
  });
}
