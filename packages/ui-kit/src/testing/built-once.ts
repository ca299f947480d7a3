import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Builds something that several test files use, once for all of them: the folder is found again by what the sources
 * hold. It lies among the temporary files and goes with those of the run.
 * @param name    of what is built, for the folder
 * @param sources files and folders that the result depends on
 * @param build   fills an empty folder
 * @returns the folder, which is not to be written to
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
    // Another file's tests began at the same time and were faster.
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
