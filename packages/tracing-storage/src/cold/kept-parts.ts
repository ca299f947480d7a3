import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { type FileHandle, link, mkdir, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { namesIn } from "../engine/table-folders.ts";
import { coldNamesPath } from "./cold-folder.ts";

/** A part, by the UUID of its table. */
export interface PartPlace {
  readonly tableUuid: string;
  readonly part: string;
}

/**
 * Hard links to the files of a part while it moves. The engine removes the local files as soon as the bucket has their
 * content. However, it writes the names of the bucket's objects to local files, which a power cut may lose until they
 * are synced. The links keep the old files until then, so that the next start can put them back.
 */
export class KeptParts {
  readonly #path: string;
  readonly #enginePath: string;

  /**
   * @param dataFolder has the kept files
   * @param enginePath the engine's folder, on the same disk
   */
  constructor(dataFolder: string, enginePath: string) {
    this.#path = join(dataFolder, "moving-parts");
    this.#enginePath = enginePath;
  }

  /** Keeps the files of a part before it moves. @throws file errors; ENOENT for a part that was merged meanwhile */
  async keep(place: PartPlace): Promise<void> {
    const to = this.#kept(place);
    await rm(to, { recursive: true, force: true });
    await mkdir(to, { recursive: true, mode: 0o700 });
    await linkFiles(this.#hot(place), to);
    for (const folder of [to, dirname(to), this.#path]) {
      await syncFile(folder);
    }
  }

  /** Syncs the names of the objects if the part has moved, then removes the kept files. */
  async settle(place: PartPlace): Promise<void> {
    const names = this.#cold(place);
    const files = await readdir(names, { recursive: true }).catch(() => []);
    for (const path of [...files.map((name) => join(names, name)), names, dirname(names)]) {
      await syncFile(path);
    }
    await rm(this.#kept(place), { recursive: true, force: true });
  }

  /**
   * Ends the moves that a loss of power or a kill has cut short; must be called before the engine opens.
   * @returns the parts that were put back
   */
  recover(): PartPlace[] {
    const places = namesIn(this.#path).flatMap((tableUuid) =>
      namesIn(join(this.#path, tableUuid)).map((part) => ({ tableUuid, part })),
    );
    const back = places.filter((place) => this.#recoverOne(place));
    rmSync(this.#path, { recursive: true, force: true });
    return back;
  }

  #recoverOne(place: PartPlace): boolean {
    const [kept, hot, cold] = [this.#kept(place), this.#hot(place), this.#cold(place)];
    if (isWhole(cold, kept)) {
      syncAll(cold);
      return false;
    }
    if (!existsSync(dirname(hot))) {
      return false;
    }
    // Half of a part in the bucket would be set aside as damaged.
    rmSync(cold, { recursive: true, force: true });
    if (existsSync(hot)) {
      return false;
    }
    renameSync(kept, hot);
    sync(dirname(hot));
    return true;
  }

  #kept({ tableUuid, part }: PartPlace): string {
    return join(this.#path, tableUuid, part);
  }

  #hot({ tableUuid, part }: PartPlace): string {
    return join(this.#enginePath, "store", tableUuid.slice(0, 3), tableUuid, part);
  }

  #cold({ tableUuid, part }: PartPlace): string {
    return join(coldNamesPath(this.#enginePath), "store", tableUuid.slice(0, 3), tableUuid, part);
  }
}

async function linkFiles(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await linkFiles(source, target);
    } else {
      await link(source, target);
    }
  }
}

/** A file or folder that is gone needs no sync: a merge or a drop was faster. */
async function syncFile(path: string): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return;
    }
    throw error;
  }
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** True when the folder with names of objects has a file with content for each kept file. */
function isWhole(cold: string, kept: string): boolean {
  return namesIn(kept).every((name) => {
    const [named, local] = [join(cold, name), join(kept, name)];
    if (statSync(local).isDirectory()) {
      return isWhole(named, local);
    }
    return hasContent(named);
  });
}

/** False for a missing or empty file, and for one whose blocks were never written, which reads as zeros. */
function hasContent(path: string): boolean {
  if (!existsSync(path)) {
    return false;
  }
  const file = openSync(path, "r");
  try {
    const first = Buffer.alloc(1);
    return readSync(file, first, 0, 1, 0) === 1 && first[0] !== 0;
  } finally {
    closeSync(file);
  }
}

function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    entry.isDirectory() ? syncAll(path) : sync(path);
  }
  sync(folder);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
