import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

/**
 * A file is often written in several steps, and a certificate changes together with its key, so the check
 * waits a little.
 */
const settleMs = 100;

export interface FileWatch {
  close(): void;
}

/**
 * Calls back after a change in the folders of some files. It watches folders, because files are usually
 * replaced, and Kubernetes swaps a link `..data` beside them. The caller checks whether the content is new.
 * @param pollMs also call back this often; 0: never
 * @param failed called once for each folder that cannot be watched
 */
export function watchFiles(
  paths: readonly string[],
  pollMs: number,
  changed: () => void,
  failed: (folder: string, error: Error) => void,
): FileWatch {
  let pending: NodeJS.Timeout | undefined;
  const soon = () => {
    // Further changes do not extend the wait, because in a busy folder they never end.
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
        failed(folder, error as Error);
      });
      watchers.push(watcher);
    } catch (error) {
      failed(folder, error as Error);
    }
  }
  const poll = pollMs > 0 ? setInterval(changed, pollMs) : undefined;
  poll?.unref();
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
