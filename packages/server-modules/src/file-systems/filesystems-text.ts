import type { ModuleText } from "serverfile/module-text";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { type Line, lineWith } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import { s3Lines } from "./s3/s3-text.ts";

function fileSystemLine(entry: Members): Line {
  const name = entry.text("name") ?? "";
  const module = entry.child("file_system");
  const backend = module?.text("backend") ?? "";
  if (module === undefined || backend !== "s3") {
    throw inexpressible(entry.path, `there is no text for the file system ${backend}`);
  }
  const block = s3Lines(module);
  module.done("a file system");
  entry.done("the option filesystem");
  return lineWith(["filesystem", name, backend], block);
}

/**
 * `filesystem <name> <backend> { … }`, which the adapter reads by itself:
 * ```
 * {
 *   filesystem assets s3 {
 *     bucket my-assets
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "filesystems": [
 *     { "name": "assets", "file_system": { "backend": "s3", "bucket": "my-assets" } }
 *   ]
 * }
 * ```
 */
export const filesystemsText: ModuleText = {
  writeOption: (app) => (app.children("filesystems") ?? []).map(fileSystemLine),
};
