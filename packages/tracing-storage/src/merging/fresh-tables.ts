import type { Engine } from "../engine/engine.ts";
import { quoteIdentifier, quoteString } from "../sql/statement.ts";

/** A table with parts that were never merged. */
export interface FreshTable {
  readonly database: string;
  readonly table: string;
}

/** Limits that decide what is merged, and when. */
export interface FreshPartLimits {
  /** Minimum time in seconds since the last insert into the table, and since its last merge. */
  readonly calmSeconds: number;
  /** Minimum number of rows in the unmerged parts. A search reads fewer rows in a few milliseconds. */
  readonly leastRows: number;
}

/**
 * Tables with indexes that were not written to for some time, and for which no merge runs. In a partition of each of
 * them, the newest three or more parts were never merged. Two such parts are not enough, because the engine would also
 * merge their large neighbors. Older unmerged parts between merged parts are ignored, because their merge would also
 * include large neighbors.
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
 * Runs one merge of neighboring small parts, which the engine selects. If the statement named a partition, the engine
 * would merge all its parts. Resolves when the merge is done.
 */
export async function mergeOnce(engine: Engine, { database, table }: FreshTable): Promise<void> {
  await engine.run({
    prepare: "",
    sql: `OPTIMIZE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)}`,
    format: "Null",
    tag: "merging",
  });
}
