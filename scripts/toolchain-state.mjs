// The state of .toolchain. A checkout may move to another platform with all that was fetched: a container mounts the folder of a Mac,
// or a disk goes from one machine to another. Plain JavaScript for Node 20: bootstrap.mjs reads it before anything is installed.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const stampOf = (toolchain) => join(toolchain, "installed.json");

/**
 * @param parts version by program, as `rememberToolchain` had them
 * @param nodePackage the npm package that has Node for this platform; undefined where Node is the user's own
 */
export function hasToolchain(toolchain, parts, nodePackage) {
  const stamp = stampOf(toolchain);
  const installed = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  return (
    installed === JSON.stringify(parts) &&
    (nodePackage === undefined || existsSync(join(toolchain, "node_modules", nodePackage)))
  );
}

/** Removes what was fetched earlier: npm would leave programs of another platform beside the new ones, and pnpm's among them. */
export function clearToolchain(toolchain) {
  for (const path of [join(toolchain, "node_modules"), stampOf(toolchain)]) {
    rmSync(path, { recursive: true, force: true });
  }
}

export function rememberToolchain(toolchain, parts) {
  writeFileSync(stampOf(toolchain), JSON.stringify(parts));
}
