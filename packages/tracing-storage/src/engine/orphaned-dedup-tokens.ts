import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type PartName, partNameOf } from "../parts/part-name.ts";
import { namesIn, tableFolders, tokenFolderOf } from "./table-folders.ts";

/** A token whose block is not in the table, because the process ended before the block's part got its name. */
interface LostToken {
  readonly logPath: string;
  readonly part: string;
  readonly block: string;
}

const added = "1";
const dropped = "2";

/** Number of a table's last tokens that are checked; parts of older inserts are certainly synced. */
const lastTokens = 256;

/**
 * Removes tokens of blocks that were never stored. The engine records a token before it names the block's part. If the
 * process was killed in between, the engine would refuse the repeated block as already stored. Must run before the
 * engine is opened.
 * @param enginePath the engine's folder
 * @returns number of removed tokens
 */
export function forgetOrphanedTokens(enginePath: string): number {
  const lost = tableFolders(enginePath).flatMap(lostTokensOf);
  for (const { logPath, part, block } of lost) {
    appendFileSync(logPath, `${dropped}\t${part}\t${block}\n`, { flush: true });
  }
  return lost.length;
}

/**
 * Tokens whose part is in no folder, either as a separate part or inside a merged part. Folders of running inserts have
 * other names. A kill leaves at most one such token, because a table names one part at a time; a power cut may leave
 * several.
 */
function lostTokensOf(tableFolder: string): LostToken[] {
  const logs = tokenFolderOf(tableFolder);
  const numberOf = (name: string) => Number(/\d+/.exec(name)?.[0] ?? 0);
  const newestFirst = namesIn(logs).sort((one, other) => numberOf(other) - numberOf(one));
  const parts = namesIn(tableFolder).flatMap((name) => partNameOf(name) ?? []);
  const isThere = (sought: PartName) =>
    parts.some(
      ({ partition, first, last }) =>
        partition === sought.partition && first <= sought.first && last >= sought.last,
    );
  const gone = new Set<string>();
  const lost: LostToken[] = [];
  let left = lastTokens;
  // The tokens are removed in the newest log, because the engine reads this log last.
  const [newest = ""] = newestFirst;
  for (const name of newestFirst) {
    const lines = readFileSync(join(logs, name), "utf8").split("\n");
    // Text after the last line end is an incomplete record, which the engine itself reports.
    if (lines.pop() !== "" && name === newest) {
      return [];
    }
    for (const line of lines.toReversed()) {
      if (left-- === 0) {
        return lost;
      }
      const [operation, part, block] = line.split("\t");
      if (part === undefined || block === undefined) {
        continue;
      }
      if (operation === dropped) {
        gone.add(block);
      }
      if (operation !== added || gone.has(block)) {
        continue;
      }
      const wanted = partNameOf(part);
      if (wanted !== undefined && !isThere(wanted)) {
        lost.push({ logPath: join(logs, newest), part, block });
      }
    }
  }
  return lost;
}
