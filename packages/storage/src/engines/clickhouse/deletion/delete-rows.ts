import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";

const lookEveryMs = 500;
/**
 * Number of checks in which a mutation may report a failure. The server retries a failed mutation; after more failures
 * than this, the failure counts as permanent.
 */
const maxFailedLooks = 20;

interface Deleting {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (partsToDo: number) => void;
}

interface MutationRow {
  readonly toDo: number | string;
  readonly reason: string;
}

/**
 * Rewrites the parts of a table without the rows of a condition, and waits until the server has finished. After that,
 * the rows are no longer on the disk. A lightweight DELETE would only hide the rows until their part is merged.
 * ClickHouse keeps the replaced parts on the disk for some minutes.
 * @param table table with its database, as `database.table`
 * @throws StorageError STORAGE_REFUSED when a part cannot be rewritten
 */
export async function deleteRows(
  connection: ClickHouseConnection,
  table: string,
  where: string,
  { signal, onProgress }: Deleting,
): Promise<void> {
  const [database = "", name = ""] = table.split(".");
  await connection.command(`ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 0`, signal);
  for (let failedLooks = 0; ; ) {
    const [row] = await connection.rows<MutationRow>(
      "SELECT sum(parts_to_do) AS toDo, max(latest_fail_reason) AS reason FROM system.mutations " +
        "WHERE database = {database:String} AND table = {name:String} AND NOT is_done AND command LIKE '%DELETE WHERE%'" +
        " HAVING count() > 0",
      { database, name },
      { signal },
    );
    if (row === undefined) {
      return;
    }
    failedLooks = row.reason === "" ? 0 : failedLooks + 1;
    if (failedLooks > maxFailedLooks) {
      throw new StorageError(
        "STORAGE_REFUSED",
        `${table}: rows are not deleted yet, and the server goes on trying: ${row.reason}`,
      );
    }
    onProgress(Number(row.toDo));
    await sleep(lookEveryMs, undefined, { signal });
  }
}
