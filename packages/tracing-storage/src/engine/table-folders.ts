import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The folder of each table. @param enginePath the engine's folder */
export function tableFolders(enginePath: string): string[] {
  const store = join(enginePath, "store");
  return namesIn(store).flatMap((group) =>
    namesIn(join(store, group)).map((name) => join(store, group, name)),
  );
}

/** The folder of a table's tokens; absent when the table has no window of tokens. */
export function tokenFolderOf(tableFolder: string): string {
  return join(tableFolder, "deduplication_logs");
}

/** @returns none for a folder that is not there, or a file */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) {
      return [];
    }
    throw error;
  }
}
