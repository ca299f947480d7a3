import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { namesIn, tableFolders, tokenFolderOf } from "./table-folders.ts";

const run = promisify(execFile);

/**
 * Makes the system write tokens of blocks through to the disk (`chattr +S`). The engine notes a token before
 * it names a part, and syncs the part but not the token. After a power cut the block would be there while its
 * token is unknown, so a repeated block would be stored twice.
 *
 * On a system without this attribute nothing changes: a block that was being inserted may be stored twice
 * after a power cut.
 */
export class SyncedTokens {
  readonly #enginePath: string;
  readonly #marked = new Set<string>();
  #isPossible = true;

  /** @param enginePath the engine's folder */
  constructor(enginePath: string) {
    this.#enginePath = enginePath;
  }

  /** Marks the present tables. @returns true when the tokens of all of them are written through */
  async mark(): Promise<boolean> {
    if (!this.#isPossible) {
      return false;
    }
    const folders = tableFolders(this.#enginePath).map(tokenFolderOf);
    const unmarked = folders.filter((folder) => !this.#marked.has(folder) && existsSync(folder));
    if (unmarked.length === 0) {
      return true;
    }
    // Later files inherit the attribute from their folder.
    const paths = unmarked.flatMap((folder) => [
      folder,
      ...namesIn(folder).map((name) => join(folder, name)),
    ]);
    try {
      await run("chattr", ["+S", "--", ...paths]);
    } catch (error) {
      // Anything else is a table that went away in this moment: the next change of tables looks again.
      this.#isPossible = !isUnknownHere(error as ExecFileException);
      return false;
    }
    for (const folder of unmarked) {
      this.#marked.add(folder);
    }
    return true;
  }
}

/** No `chattr`, or a file system without the attribute. */
function isUnknownHere({ code, stderr = "" }: ExecFileException): boolean {
  return code === "ENOENT" || /not supported|inappropriate ioctl/i.test(String(stderr));
}
