import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { folderError } from "lifecycle";
import { FolderInUseError } from "./folder-lock.ts";
import type { Journal } from "./journal.ts";
import { segmentSuffix } from "./open-segment.ts";

/** Journals of a folder that several collectors share. */
const folderName = /^journal-(\d+)$/;

/** Opens one folder as a journal. @throws FolderInUseError when another collector has it */
export type OpenFolder = (folder: string) => Promise<Journal>;

/** The numbered folders that there are, by number. */
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
    if (error instanceof FolderInUseError) return undefined;
    throw error;
  }
}

/** One journal of a shared folder. */
export interface ClaimedJournal {
  readonly folder: string;
  readonly journal: Journal;
}

/**
 * Takes a journal of a shared folder for this collector: the first that nobody has, so that one that comes back goes on with
 * its own or another's, or a new one where all are taken.
 * @throws StartError when the folder cannot be used
 */
export async function claimJournal(root: string, open: OpenFolder): Promise<ClaimedJournal> {
  try {
    await mkdir(root, { recursive: true });
    for (;;) {
      const folders = await numberedFolders(root);
      for (const { path } of folders) {
        const journal = await openIfFree(path, open);
        if (journal !== undefined) return { folder: path, journal };
      }
      // Of two that make the same one, the other finds it taken and looks again.
      const next = join(root, `journal-${(folders.at(-1)?.number ?? -1) + 1}`);
      const journal = await openIfFree(next, open);
      if (journal !== undefined) return { folder: next, journal };
    }
  } catch (error) {
    throw error instanceof Error && error.name === "StartError"
      ? error
      : folderError(error, "the journal", root, "collector.journal.dir");
  }
}

/** Whether a folder holds spans that are not in storage; those in quarantine wait for a start, and for nobody here. */
async function holdsSpans(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.endsWith(segmentSuffix));
}

/**
 * Opens the journals that nobody has and that hold spans: those of collectors that are gone. The shared folder itself is one of them: it was
 * the journal before it was shared.
 */
export async function openOrphans(root: string, own: string, open: OpenFolder): Promise<ClaimedJournal[]> {
  const orphans: ClaimedJournal[] = [];
  try {
    for (const folder of [root, ...(await numberedFolders(root)).map(({ path }) => path)]) {
      if (folder === own || !(await holdsSpans(folder))) continue;
      const journal = await openIfFree(folder, open);
      if (journal !== undefined) orphans.push({ folder, journal });
    }
  } catch (error) {
    await Promise.all(orphans.map(({ journal }) => journal.close()));
    throw error;
  }
  return orphans;
}
