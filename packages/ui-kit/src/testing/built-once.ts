import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Builds a result that several test files share, only once. The name of the folder contains a hash of the sources'
 * content, so other files find the folder. It is a temporary folder, which is removed with the folders of the run.
 * @param name    name of the result, for the folder
 * @param sources files and folders that the result depends on
 * @param build   fills an empty folder
 * @returns the folder, which callers must not change
 */
export async function builtOnce(
  name: string,
  sources: readonly string[],
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  for (const source of sources) {
    await addTo(hash, source);
  }
  const folder = path.join(tmpdir(), `${name}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) {
    return folder;
  }
  const own = await mkdtemp(`${folder}-`);
  try {
    await build(own);
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    // The tests of another file built the same result at the same time, and finished first.
    if (!existsSync(folder)) {
      throw error;
    }
  }
  return folder;
}

async function addTo(hash: ReturnType<typeof createHash>, source: string): Promise<void> {
  if (!(await stat(source)).isDirectory()) {
    const bytes = await readFile(source);
    hash.update(`${source} ${bytes.length}\n`).update(bytes);
    return;
  }
  for (const name of (await readdir(source)).sort()) {
    await addTo(hash, path.join(source, name));
  }
}
