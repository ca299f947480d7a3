import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { namesIn, tableFolders, tokenFolderOf } from "./table-folders.ts";

/** A block that a table believes to have: its token was noted, and the process was killed before its part got its name. */
interface LostToken {
  readonly logPath: string;
  readonly part: string;
  readonly block: string;
}

const added = "1";
const dropped = "2";

/**
 * Takes back tokens of blocks that were never stored. The engine notes a token first and gives the part its name then: killed
 * between the two, it would take the block for stored when it comes again. Before the engine is opened; it removes such parts.
 * @param enginePath its folder
 * @returns how many
 */
export function forgetLostTokens(enginePath: string): number {
  const lost = tableFolders(enginePath).flatMap((folder) => lostTokenOf(folder) ?? []);
  for (const { logPath, part, block } of lost) {
    appendFileSync(logPath, `${dropped}\t${part}\t${block}\n`, { flush: true });
  }
  return lost.length;
}

/** A table writes one part at a time, so only what it noted last can be without one. */
function lostTokenOf(tableFolder: string): LostToken | undefined {
  const logs = tokenFolderOf(tableFolder);
  const numberOf = (name: string) => Number(/\d+/.exec(name)?.[0] ?? 0);
  const newestFirst = namesIn(logs).sort((one, other) => numberOf(other) - numberOf(one));
  for (const name of newestFirst) {
    const logPath = join(logs, name);
    const lines = readFileSync(logPath, "utf8").split("\n");
    // What follows the last line's end: more than nothing where the record itself was cut short, which the engine tells of.
    if (lines.pop() !== "") return undefined;
    const [operation, part, block] = lines.at(-1)?.split("\t") ?? [];
    if (operation === undefined) continue;
    if (operation !== added || part === undefined || block === undefined) return undefined;
    return existsSync(join(tableFolder, `tmp_insert_${part}`)) ? { logPath, part, block } : undefined;
  }
  return undefined;
}
