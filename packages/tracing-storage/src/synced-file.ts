import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces a file in one step, and returns when content and name are on the disk. After a power cut, the file has the
 * old content or the new one.
 * @param temporary path of the new content until then, on the same file system
 * @throws errors of the file system
 */
export function replaceFile(path: string, content: string | Buffer, temporary: string = `${path}.new`): void {
  writeFileSync(temporary, content, { mode: 0o600, flush: true });
  renameSync(temporary, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
