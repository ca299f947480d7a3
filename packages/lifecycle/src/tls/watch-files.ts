import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";

/** A file is often written in several steps, and a certificate comes with its key: look a little later. */
const settleMs = 100;

export interface FileWatch {
  close(): void;
}

/**
 * Calls back after something changed in the folders of some files. It watches folders, not files: files are replaced
 * rather than written, and Kubernetes swaps a link `..data` beside them. The caller looks whether the content is new.
 * @param pollMs also call back this often; 0: never
 * @param failed told once for each folder that cannot be watched
 */
export function watchFiles(
  paths: readonly string[],
  pollMs: number,
  changed: () => void,
  failed: (folder: string, error: Error) => void,
): FileWatch {
  let pending: NodeJS.Timeout | undefined;
  const soon = () => {
    // Not put off by further changes: in a busy folder they never end.
    if (pending !== undefined) return;
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
      for (const watcher of watchers) watcher.close();
    },
  };
}
