import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "lifecycle";
import { replaceFile } from "../synced-file.ts";
import type { MendedFile } from "./metadata-copy.ts";

/** Version of the data folder's layout; this code does not know layouts with a higher number. */
const layoutVersion = 1;

const fileName = "version.json";

interface FolderVersion {
  readonly layout: number;
  /** Version of the engine that last used the folder, such as "26.7.2.1". */
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
  // Earlier versions of this program did not sync the file, so it may be empty after a power cut.
  if (text === "") {
    return undefined;
  }
  try {
    const { layout, engine } = JSON.parse(text) as Record<string, unknown>;
    if (typeof layout === "number" && typeof engine === "string") {
      return { layout, engine };
    }
  } catch {
    // This error is reported below.
  }
  onDamaged(path, text);
  return undefined;
}

/**
 * Converts "26.7.2.1" to 26 * 1000 + 7. ClickHouse reads data of older releases, but an older release may fail to read
 * data of a newer one.
 */
function release(engine: string): number {
  const [major = 0, minor = 0] = engine.split(".").map(Number);
  return major * 1000 + minor;
}

/**
 * Refuses a data folder of a newer program. The folder is not changed, except for an unreadable version file. An
 * unreadable version file is moved away; a new file is written after the engine, which checks its data, has opened the
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

/** Writes the current version, if the folder has another version. Returns when the new file is on disk. */
export function writeFolderVersion(folder: string, engine: string): void {
  const found = read(folder);
  if (found?.layout === layoutVersion && found.engine === engine) {
    return;
  }
  const version: FolderVersion = { layout: layoutVersion, engine };
  replaceFile(join(folder, fileName), `${JSON.stringify(version)}\n`);
}
