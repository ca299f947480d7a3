import type { Engine } from "../engine/engine.ts";
import { quoteIdentifier, quoteString } from "../sql/statement.ts";

/** Parts of one partition that were never merged, and are not in a merge now. */
export interface FreshParts {
  readonly database: string;
  readonly table: string;
  /** As `OPTIMIZE TABLE … PARTITION ID` wants it. */
  readonly id: string;
}

/** What is worth a merge, and when. */
export interface FreshPartLimits {
  /** Seconds since the last insert into the partition, or merge in it. */
  readonly calmSeconds: number;
  /** With fewer rows a search reads them all in a few milliseconds. */
  readonly leastRows: number;
}

/**
 * Partitions of tables with indexes that nothing was written to for a while, and whose newest parts, two or more, were never
 * merged. Older ones between merged parts are left: merging them would mean merging their neighbours.
 */
export async function readFreshParts(
  engine: Engine,
  databases: readonly string[],
  { calmSeconds, leastRows }: FreshPartLimits,
): Promise<FreshParts[]> {
  const { bytes } = await engine.run({
    prepare: "",
    sql: `WITH (
  SELECT groupArray((database, table, partition_id)) FROM system.merges
) AS merging
SELECT database, table, id FROM (
  SELECT database, table, partition_id AS id,
    arraySort(part -> part.1, groupArray((min_block_number, level, rows))) AS parts,
    arrayFilter((part, at) -> at > arrayLastIndex(p -> p.2 > 0, parts), parts, arrayEnumerate(parts)) AS fresh
  FROM system.parts
  WHERE active AND database IN (${databases.map(quoteString).join(", ")})
    AND (database, table) IN (SELECT database, table FROM system.data_skipping_indices)
  GROUP BY database, table, id
  HAVING max(modification_time) <= now() - ${calmSeconds}
)
WHERE length(fresh) > 1 AND arraySum(part -> part.3, fresh) >= ${leastRows} AND NOT has(merging, (database, table, id))`,
    format: "JSONEachRow",
    tag: "merging",
  });
  const lines = bytes.toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FreshParts);
}

/** One merge in the partition: of parts that are small, next to each other, and many. Resolves when it is done. */
export async function mergeOnce(engine: Engine, { database, table, id }: FreshParts): Promise<void> {
  await engine.run({
    prepare: "",
    sql: `OPTIMIZE TABLE ${quoteIdentifier(database)}.${quoteIdentifier(table)} PARTITION ID ${quoteString(id)}`,
    format: "Null",
    tag: "merging",
  });
}
