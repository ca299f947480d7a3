import { mkdir, open } from "node:fs/promises";
import type { Logger } from "lifecycle";
import { folderError, StartError } from "lifecycle/errors";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { Journal, type JournalObserver, type JournalSettings } from "./journal.ts";
import { type DropReason, defaultQuarantineLimits, Quarantine } from "./quarantine.ts";
import { recoverSegments, salvageSegment } from "./recover-segments.ts";

/**
 * Locks the folder for this process, and reads the segments of an earlier run.
 * @throws StartError when the folder cannot be used, or another process uses it
 */
export async function openJournalFolder(
  settings: JournalSettings,
  observer: JournalObserver,
  log: Logger,
): Promise<Journal> {
  const { folder } = settings;
  let lock: FolderLock | undefined;
  try {
    await mkdir(folder, { recursive: true });
    lock = await lockFolder(folder);
    const { segments, damagedRows } = await recoverSegments(folder, log);
    if (damagedRows > 0) {
      observer.damaged?.(damagedRows);
    }
    const { quarantine: limits = defaultQuarantineLimits } = settings;
    const dropped = (reason: DropReason) => observer.dropped?.(reason);
    const quarantine = new Quarantine({ folder, limits, log, dropped });
    await quarantine.look();
    const journal = new Journal(settings, observer, {
      log,
      lock,
      folder: await open(folder, "r"),
      segments,
      quarantine,
      salvage: salvageSegment,
    });
    if (journal.segments > 0) {
      log.info(
        { segments: journal.segments, spans: journal.rows },
        "the journal holds spans of an earlier run",
      );
    }
    return journal;
  } catch (error) {
    await lock?.release();
    throw error instanceof StartError
      ? error
      : folderError(error, "the journal", folder, "collector.journal.dir");
  }
}
