import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "lifecycle";

/** How this code lays out a data folder; a higher number is a layout that it does not know. */
const layoutVersion = 1;

const fileName = "version.json";

interface FolderVersion {
  readonly layout: number;
  /** Of the engine that wrote here last: "26.7.2.1". */
  readonly engine: string;
}

function read(folder: string): FolderVersion | undefined {
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
  // What a loss of power leaves of a file that was never synced, as earlier versions wrote it.
  if (text === "") {
    return undefined;
  }
  try {
    const { layout, engine } = JSON.parse(text) as Record<string, unknown>;
    if (typeof layout === "number" && typeof engine === "string") {
      return { layout, engine };
    }
  } catch {
    // said below
  }
  throw new StartError(`${path} is damaged: it should read like {"layout":1,"engine":"26.7.2.1"}`);
}

/** "26.7.2.1" → 26 * 1000 + 7: ClickHouse reads older data, but a release may write what an older one cannot read. */
function release(engine: string): number {
  const [major = 0, minor = 0] = engine.split(".").map(Number);
  return major * 1000 + minor;
}

/**
 * Refuses a data folder that a newer program wrote. Only reads: the folder stays as it is.
 * @throws StartError
 */
export function checkFolderVersion(folder: string, engine: string): void {
  const found = read(folder);
  if (found !== undefined && (found.layout > layoutVersion || release(found.engine) > release(engine))) {
    throw new StartError(
      `data folder ${folder} is of a newer version (layout ${found.layout}, engine ${found.engine}; this program has ` +
        `layout ${layoutVersion}, engine ${engine}): start the newer program, or give another --storage.data-dir; ` +
        "nothing was touched",
    );
  }
}

/** Notes who writes here from now on, where that is news. On the disk when it returns, whole or as it was. */
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
