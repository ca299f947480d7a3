import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The folders of all tables. @param enginePath the engine's folder */
export function tableFolders(enginePath: string): string[] {
  const store = join(enginePath, "store");
  return namesIn(store).flatMap((group) =>
    namesIn(join(store, group)).map((name) => join(store, group, name)),
  );
}

/** Path of a table's tokens. The folder does not exist for a table without a deduplication window. */
export function tokenFolderOf(tableFolder: string): string {
  return join(tableFolder, "deduplication_logs");
}

/** @returns an empty list for a missing folder or for a file */
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
