import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { folderError } from "lifecycle/errors";
import { FolderInUseError } from "./folder-lock.ts";
import type { Journal } from "./journal.ts";
import { segmentSuffix } from "./open-segment.ts";

/** Names of journals in a folder that several collectors share. */
const folderName = /^journal-(\d+)$/;

/** Opens one folder as a journal. @throws FolderInUseError when another collector has it */
export type OpenFolder = (folder: string) => Promise<Journal>;

/** Existing numbered folders, sorted by number. */
async function numberedFolders(root: string): Promise<{ readonly number: number; readonly path: string }[]> {
  const names = await readdir(root);
  return names
    .flatMap((name) => {
      const [, digits] = folderName.exec(name) ?? [];
      return digits === undefined ? [] : [{ number: Number(digits), path: join(root, name) }];
    })
    .sort((a, b) => a.number - b.number);
}

/** @returns undefined when another collector has the folder */
async function openIfFree(folder: string, open: OpenFolder): Promise<Journal | undefined> {
  try {
    return await open(folder);
  } catch (error) {
    if (error instanceof FolderInUseError) {
      return undefined;
    }
    throw error;
  }
}

/** A journal of a shared folder that this collector has opened. */
export interface ClaimedJournal {
  readonly folder: string;
  /** The journal, whose segments must be inserted. */
  readonly journal: Journal;
}

/**
 * Opens a journal in a shared folder for this collector: the first journal without a collector, or a new one. So a
 * restarted collector continues with its former journal or with another one.
 * @throws StartError when the folder cannot be used
 */
export async function claimJournal(root: string, open: OpenFolder): Promise<ClaimedJournal> {
  try {
    await mkdir(root, { recursive: true });
    for (;;) {
      const folders = await numberedFolders(root);
      for (const { path } of folders) {
        const journal = await openIfFree(path, open);
        if (journal !== undefined) {
          return { folder: path, journal };
        }
      }
      // When two collectors create the same folder, one finds it in use and looks again.
      const next = join(root, `journal-${(folders.at(-1)?.number ?? -1) + 1}`);
      const journal = await openIfFree(next, open);
      if (journal !== undefined) {
        return { folder: next, journal };
      }
    }
  } catch (error) {
    throw error instanceof Error && error.name === "StartError"
      ? error
      : folderError(error, "the journal", root, "collector.journal.dir");
  }
}

/**
 * True when a folder has spans that the store lacks. Spans in quarantine do not count, because they wait for a restart.
 */
async function holdsSpans(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.endsWith(segmentSuffix));
}

/** The shared folder, and this collector's journal in it. */
export interface SharedFolder {
  readonly root: string;
  readonly own: string;
}

/**
 * Opens the journals that have spans and no collector: journals of ended collectors. The shared folder itself may be
 * such a journal, from the time before it was shared.
 * @param ready called once before the first journal is opened, because opening reads the whole journal
 * @throws the error of `ready`; then no journal is open
 */
export async function openOrphans(
  { root, own }: SharedFolder,
  open: OpenFolder,
  ready: () => Promise<void>,
): Promise<ClaimedJournal[]> {
  const orphans: ClaimedJournal[] = [];
  let isReady = false;
  try {
    for (const folder of [root, ...(await numberedFolders(root)).map(({ path }) => path)]) {
      if (folder === own || !(await holdsSpans(folder))) {
        continue;
      }
      if (!isReady) {
        await ready();
        isReady = true;
      }
      const journal = await openIfFree(folder, open);
      if (journal !== undefined) {
        orphans.push({ folder, journal });
      }
    }
  } catch (error) {
    await Promise.all(orphans.map(({ journal }) => journal.close()));
    throw error;
  }
  return orphans;
}
