// npm start: prepares the tree, then becomes the launcher, which runs all processes.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { clickhouseOf } from "./clickhouse-option.mjs";
import { nameOf, partialPlatformText, thisPlatform } from "./platform.mjs";
import { prepare, root } from "./prepare.mjs";

await prepare();

/** Whether the store of this machine can run: its engine is a native package, which is not made for every platform. */
function hasEngine(platform) {
  if (partialPlatformText(platform) !== "") {
    return false;
  }
  try {
    createRequire(createRequire(join(root, "packages/tracing-storage/package.json")).resolve("chdb")).resolve(
      `@chdb/lib-${nameOf(platform).replace("glibc", "gnu")}`,
    );
    return true;
  } catch (error) {
    return error.code !== "MODULE_NOT_FOUND";
  }
}

const args = process.argv.slice(2);
const platform = thisPlatform();
if (clickhouseOf(args) === undefined && !hasEngine(platform)) {
  // When the platform has such a text, the bootstrap printed it before it installed anything.
  if (partialPlatformText(platform) === "") {
    process.stderr.write(
      `tracing-storage cannot run: chdb has no engine for ${nameOf(platform)} here. The web server starts alone; ` +
        "with --clickhouse http://HOST:8123 tracing does too, its spans in that ClickHouse.\n",
    );
  }
  process.argv.push("--server-only");
}
// A file's address, since a path may have signs that mean something else in an address.
await import(pathToFileURL(join(root, "packages", "launcher", "bin", "launcher.ts")).href);
