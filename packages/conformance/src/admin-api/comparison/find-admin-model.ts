import { existsSync } from "node:fs";
import { join } from "node:path";
import { builtPeersFolder } from "../../tracing-api/comparison/public-model.ts";

const program = "caddy";

/** Path of the public model's program: in the given folder, otherwise in `PEERS`, otherwise where peers are built. */
export function findAdminModel(folder = process.env.PEERS ?? builtPeersFolder): string | undefined {
  const path = join(folder, program);
  return existsSync(path) ? path : undefined;
}
