import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtPeersFolder } from "../../src/tracing-api/comparison/public-model.ts";

/** A program of others, in the folder that `PEERS` names, else where peers are built; undefined when it is in neither. */
export function findPeer(
  program: string,
  folder = process.env.PEERS ?? builtPeersFolder,
): string | undefined {
  const path = join(folder, program);
  return existsSync(path) ? path : undefined;
}
