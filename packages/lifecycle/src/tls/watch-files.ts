import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

/**
 * Programs often write a file in several steps, and certificate and key change one after the other. The check therefore
 * waits a little.
 */
const settleMs = 100;

/**
 * Interval for reading files in folders that the system does not watch. Linux limits the watchers of all programs of a
 * user together.
 */
export const unwatchedPollMs = 10_000;

/** Intervals in milliseconds of calls without a reported change. */
export interface PollTimes {
  /** Interval in milliseconds of calls without a change; 0: such calls happen only while a folder cannot be watched. */
  readonly pollMs: number;
  /** Interval while a folder cannot be watched. Default: `unwatchedPollMs`. */
  readonly unwatchedMs?: number;
}

/** A running watch. */
export interface FileWatch {
  /** Ends the watch. The callback is not called afterwards. */
  close(): void;
}

/**
 * Calls back after a change in the folders of some files. It watches folders, because most programs replace files, and
 * Kubernetes replaces a link `..data` next to the files. The caller must check if the content has changed.
 * @param failed called once for each folder that cannot be watched
 */
export function watchFiles(
  paths: readonly string[],
  { pollMs, unwatchedMs = unwatchedPollMs }: PollTimes,
  changed: () => void,
  failed: (folder: string, error: Error) => void,
): FileWatch {
  let poll: NodeJS.Timeout | undefined;
  const pollEvery = (ms: number) => {
    poll ??= setInterval(changed, ms).unref();
  };
  if (pollMs > 0) {
    pollEvery(pollMs);
  }
  const unwatched = (folder: string, error: Error) => {
    pollEvery(unwatchedMs);
    failed(folder, error);
  };
  let pending: NodeJS.Timeout | undefined;
  const soon = () => {
    // Further changes do not extend the wait, because a busy folder never stops changing.
    if (pending !== undefined) {
      return;
    }
    pending = setTimeout(() => {
      pending = undefined;
      changed();
    }, settleMs);
    pending.unref();
  };
  const watchers: FSWatcher[] = [];
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    try {
      const watcher = watch(folder, { persistent: false }, soon);
      watcher.on("error", (error) => {
        watcher.close();
        unwatched(folder, error as Error);
      });
      watchers.push(watcher);
    } catch (error) {
      unwatched(folder, error as Error);
    }
  }
  return {
    close() {
      clearTimeout(pending);
      clearInterval(poll);
      for (const watcher of watchers) {
        watcher.close();
      }
    },
  };
}
