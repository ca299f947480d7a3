// Package managers keep their caches below the home folder. Services and containers often run with a home that nobody can write to,
// or with none. Plain JavaScript for Node 20.

import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Variables that move the caches to a folder of the repository, where the home folder cannot be written to.
 * @param toolchain folder that is made when it is needed
 * @returns an empty object when the home folder can be written to, or nothing else can
 */
export function homeVariables(toolchain, environment, home = homedir()) {
  if (isWritable(home)) {
    return {};
  }
  const own = join(toolchain, "home");
  try {
    mkdirSync(own, { recursive: true });
  } catch {
    // Nothing can be kept here either. A prepared checkout starts all the same.
    return {};
  }
  const variables = { HOME: own };
  // npm tells its scripts where its cache is.
  if (environment.npm_config_cache?.startsWith(join(home, "/"))) {
    variables.npm_config_cache = join(own, ".npm");
  }
  // The user's settings, such as another registry, count all the same.
  const settings = join(home, ".npmrc");
  if (environment.npm_config_userconfig === undefined && existsSync(settings)) {
    variables.npm_config_userconfig = settings;
  }
  return variables;
}
