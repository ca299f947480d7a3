// Package managers keep their caches below the home folder. Services and containers often run with a home that nobody can write to,
// or with none. Plain JavaScript for Node 20.

import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder of the toolchain, made when it is needed; undefined where nothing can be written to. */
function ownFolder(toolchain, name) {
  const own = join(toolchain, name);
  try {
    mkdirSync(own, { recursive: true });
  } catch {
    // A prepared checkout starts all the same.
    return undefined;
  }
  return isWritable(own) ? own : undefined;
}

/** Variables that name a folder of the repository for temporary files, where that of the system cannot be written to. */
export function temporaryFolderVariables(toolchain, temporary = tmpdir()) {
  const own = isWritable(temporary) ? undefined : ownFolder(toolchain, "tmp");
  return own === undefined ? {} : { TMPDIR: own, TMP: own, TEMP: own };
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
  const own = ownFolder(toolchain, "home");
  if (own === undefined) {
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
