import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { namesIn, tableFolders, tokenFolderOf } from "./table-folders.ts";

const run = promisify(execFile);

/**
 * Makes the system write tokens of blocks through to the disk (`chattr +S`). The engine records a token before it names
 * a part, and then syncs the part, but not the token. After a power cut, a block may exist without its token, so the
 * repeated block would be stored a second time.
 *
 * Without this attribute, this can happen to a block that is inserted during a power cut.
 */
export class SyncedTokens {
  readonly #enginePath: string;
  readonly #marked = new Set<string>();
  #isPossible = true;

  /** @param enginePath the engine's folder */
  constructor(enginePath: string) {
    this.#enginePath = enginePath;
  }

  /** Marks the files of all current tables. @returns true when all their tokens are written directly to the disk */
  async mark(): Promise<boolean> {
    if (!this.#isPossible) {
      return false;
    }
    const folders = tableFolders(this.#enginePath).map(tokenFolderOf);
    const unmarked = folders.filter((folder) => !this.#marked.has(folder) && existsSync(folder));
    if (unmarked.length === 0) {
      return true;
    }
    // New files inherit the attribute from their folder.
    const paths = unmarked.flatMap((folder) => [
      folder,
      ...namesIn(folder).map((name) => join(folder, name)),
    ]);
    try {
      await run("chattr", ["+S", "--", ...paths]);
    } catch (error) {
      // Any other error comes from a table that was just dropped; the next change of tables tries again.
      this.#isPossible = !isUnknownHere(error as ExecFileException);
      return false;
    }
    for (const folder of unmarked) {
      this.#marked.add(folder);
    }
    return true;
  }
}

/** True when `chattr` or the file system's attribute does not exist. */
function isUnknownHere({ code, stderr = "" }: ExecFileException): boolean {
  return code === "ENOENT" || /not supported|inappropriate ioctl/i.test(String(stderr));
}
