import type { Engine } from "../engine/engine.ts";
import { quoteIdentifier, quoteString } from "../sql/statement.ts";

/** A table with parts that were never merged. */
export interface FreshTable {
  readonly database: string;
  readonly table: string;
}

/** Limits that decide what is merged, and when. */
export interface FreshPartLimits {
  /** Minimum number of seconds since the last insert into the table, or the last merge. */
  readonly calmSeconds: number;
  /** Minimum number of rows. A search reads fewer rows in a few milliseconds. */
  readonly leastRows: number;
}

/**
 * Tables with indexes that were not written to for a while and have no running merge. In one of their partitions the
 * newest three or more parts were never merged. For two parts the engine would include their large neighbours. Older
 * unmerged parts between merged parts are ignored, because their merge would include the large neighbours too.
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
 * Runs one merge of adjacent small parts, which the engine chooses. With the name of a partition it would merge all
 * parts of the partition. Resolves when the merge is done.
 */
export async function mergeOnce(engine: Engine, { database, table }: FreshTable): Promise<void> {
  await engine.run({
    prepare: "",
    sql: `OPTIMIZE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)}`,
    format: "Null",
    tag: "merging",
  });
}
