import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type PartName, partNameOf } from "../parts/part-name.ts";
import { namesIn, tableFolders, tokenFolderOf } from "./table-folders.ts";

/** A block that a table believes to have: its token was noted, and the process ended before its part got its name. */
interface LostToken {
  readonly logPath: string;
  readonly part: string;
  readonly block: string;
}

const added = "1";
const dropped = "2";

/** So many of a table are looked at, the last ones: parts of more inserts than that are synced long ago. */
const lastTokens = 256;

/**
 * Takes back tokens of blocks that were never stored. The engine notes a token first and gives the part its name then: killed
 * between the two, it would take the block for stored when it comes again. Before the engine is opened.
 * @param enginePath its folder
 * @returns how many
 */
export function forgetLostTokens(enginePath: string): number {
  const lost = tableFolders(enginePath).flatMap(lostTokensOf);
  for (const { logPath, part, block } of lost) {
    appendFileSync(logPath, `${dropped}\t${part}\t${block}\n`, { flush: true });
  }
  return lost.length;
}

/**
 * Those whose part is in no folder, by itself or merged into another one. Folders of inserts under way have numbers of their own. A kill
 * leaves one at most, as a table gives names to one part at a time; after a loss of power several may have theirs no more.
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
  // Tokens are taken back in the newest log, which the engine reads last.
  const [newest = ""] = newestFirst;
  for (const name of newestFirst) {
    const lines = readFileSync(join(logs, name), "utf8").split("\n");
    // What follows the last line's end: more than nothing where the record itself was cut short, which the engine tells of.
    if (lines.pop() !== "" && name === newest) return [];
    for (const line of lines.toReversed()) {
      if (left-- === 0) return lost;
      const [operation, part, block] = line.split("\t");
      if (part === undefined || block === undefined) continue;
      if (operation === dropped) gone.add(block);
      if (operation !== added || gone.has(block)) continue;
      const wanted = partNameOf(part);
      if (wanted !== undefined && !isThere(wanted)) lost.push({ logPath: join(logs, newest), part, block });
    }
  }
  return lost;
}
