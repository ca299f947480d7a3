import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtPeersFolder } from "../../src/tracing-api/comparison/public-model.ts";

/** Path of a peer, in the folder `PEERS`, otherwise in the folder where peers are built; undefined when it is not there. */
export function findPeer(
  program: string,
  folder = process.env.PEERS ?? builtPeersFolder,
): string | undefined {
  const path = join(folder, program);
  return existsSync(path) ? path : undefined;
}
