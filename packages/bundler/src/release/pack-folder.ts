import { spawnSync } from "node:child_process";

/**
 * Packs entries of a folder with the system's tar, which macOS and Windows have too. @throws Error with tar's
 * output
 */
export function packFolder(folder: string, names: readonly string[], file: string): void {
  const { status, stderr, error } = spawnSync("tar", ["-czf", file, "-C", folder, ...names], {
    encoding: "utf8",
    // Without this variable tar on macOS adds files with extended attributes.
    env: { ...process.env, COPYFILE_DISABLE: "1" },
  });
  if (status !== 0) {
    throw new Error(`tar: ${stderr || error?.message}`);
  }
}
