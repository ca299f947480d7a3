import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Where each table has its parts. @param enginePath the engine's folder */
export function tableFolders(enginePath: string): string[] {
  const store = join(enginePath, "store");
  return namesIn(store).flatMap((group) =>
    namesIn(join(store, group)).map((name) => join(store, group, name)),
  );
}

/** Where a table notes the tokens of blocks; not there without a window of tokens. */
export function tokenFolderOf(tableFolder: string): string {
  return join(tableFolder, "deduplication_logs");
}

/** @returns none for a folder that is not there, or a file */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}
