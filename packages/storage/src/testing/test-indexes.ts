import { runSql } from "../engines/clickhouse/test-server.ts";

/** Sorted names of the indexes that at least one part of the table on this server contains. */
export async function madeIndexes(url: string, database: string, table: string): Promise<readonly string[]> {
  const names = await runSql(
    url,
    `SELECT name FROM system.data_skipping_indices
WHERE database = '${database}' AND table = '${table}' AND data_compressed_bytes > 0 ORDER BY name`,
  );
  return names.split("\n");
}
