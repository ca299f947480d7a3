import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "lifecycle";
import type { MendedFile } from "./metadata-copy.ts";

/** How this code lays out a data folder; a higher number is a layout that it does not know. */
const layoutVersion = 1;

const fileName = "version.json";

interface FolderVersion {
  readonly layout: number;
  /** Version of the engine that wrote last: "26.7.2.1". */
  readonly engine: string;
}

/** @param onDamaged called when the file exists but is unreadable */
function read(
  folder: string,
  onDamaged: (path: string, text: string) => void = () => {},
): FolderVersion | undefined {
  const path = join(folder, fileName);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  // An empty file is left after a power cut when it was never synced, as in earlier versions.
  if (text === "") {
    return undefined;
  }
  try {
    const { layout, engine } = JSON.parse(text) as Record<string, unknown>;
    if (typeof layout === "number" && typeof engine === "string") {
      return { layout, engine };
    }
  } catch {
    // reported below
  }
  onDamaged(path, text);
  return undefined;
}

/**
 * "26.7.2.1" → 26 * 1000 + 7. ClickHouse reads older data, but a release may write data that an older one
 * cannot read.
 */
function release(engine: string): number {
  const [major = 0, minor = 0] = engine.split(".").map(Number);
  return major * 1000 + minor;
}

/**
 * Refuses a data folder of a newer program. The folder stays unchanged, except for an unreadable version
 * file. That file is set aside, and rewritten once the engine, which checks its own data, has opened the
 * folder.
 * @throws StartError
 */
export function checkFolderVersion(
  folder: string,
  engine: string,
  onMended: (file: MendedFile) => void = () => {},
): void {
  const found = read(folder, (path, text) => {
    const kept = `${path}.damaged`;
    renameSync(path, kept);
    const place = [...`{"layout":${layoutVersion},"engine":"${engine}"}\n`].findIndex(
      (letter, at) => letter !== text[at],
    );
    onMended({ path, place: Math.max(0, place), kept });
  });
  if (found !== undefined && (found.layout > layoutVersion || release(found.engine) > release(engine))) {
    throw new StartError(
      `data folder ${folder} is of a newer version (layout ${found.layout}, engine ${found.engine}; this program has ` +
        `layout ${layoutVersion}, engine ${engine}): start the newer program, or give another --storage.data-dir; ` +
        "nothing was touched",
    );
  }
}

/** Writes this version when it has changed. Returns when the file is on disk, either new or unchanged. */
export function writeFolderVersion(folder: string, engine: string): void {
  const found = read(folder);
  if (found?.layout === layoutVersion && found.engine === engine) {
    return;
  }
  const version: FolderVersion = { layout: layoutVersion, engine };
  const path = join(folder, fileName);
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(version)}\n`, { flush: true });
  renameSync(temporary, path);
  const folderDescriptor = openSync(folder, "r");
  try {
    fsyncSync(folderDescriptor);
  } finally {
    closeSync(folderDescriptor);
  }
}
