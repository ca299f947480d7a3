import type { Logger } from "../logger.ts";
import { unwatchedPollMs, watchFiles } from "./watch-files.ts";

/** The content of files, which are read again after each change. */
export interface WatchedMaterial<Material> {
  /** The current content. */
  readonly material: Material;
  /** Registers a function that is called each time new content is used. */
  onChange(listener: (material: Material) => void): void;
  /** Stops watching; `material` stays available. */
  close(): void;
}

/** Files that belong together, and the functions for reading them. */
export interface WatchedFilesSettings<Material> {
  /** Name for log lines: "TLS of collector.grpc". */
  readonly what: string;
  /** All files that `read` reads. */
  readonly paths: readonly string[];
  /** Interval of checks in milliseconds; 0: files are checked only when the system reports a change. */
  readonly pollMs: number;
  /** Reads and checks all files. @throws if they do not belong together */
  read(): Material;
  /** Compares contents. If only the time of a file changes, its content counts as unchanged. */
  same(one: Material, other: Material): boolean;
  readonly log: Logger;
}

/**
 * Reads files, and reads them again when they change. If the new files are faulty, the last valid content stays in use,
 * and an error is logged.
 * @throws any error of the first `read`
 */
export function watchMaterial<Material>(settings: WatchedFilesSettings<Material>): WatchedMaterial<Material> {
  const { what, paths, pollMs, log } = settings;
  let material = settings.read();
  let lastFailure = "";
  const listeners: ((material: Material) => void)[] = [];

  const reload = () => {
    let next: Material;
    try {
      next = settings.read();
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      if (failure !== lastFailure) {
        log.error(`${what}: changed files are not used, the old ones stay in force: ${failure}`);
      }
      lastFailure = failure;
      return;
    }
    lastFailure = "";
    if (settings.same(material, next)) {
      return;
    }
    material = next;
    log.info(`${what}: changed files are in force for new connections`);
    for (const listener of listeners) {
      listener(next);
    }
  };

  const files = watchFiles(paths, { pollMs }, reload, (folder, error) => {
    const every = (pollMs || unwatchedPollMs) / 1000;
    log.warn(
      `${what}: the system does not watch ${folder}, so it is read every ${every} s: ${error.message}`,
    );
  });
  return {
    get material() {
      return material;
    },
    onChange(listener) {
      listeners.push(listener);
    },
    close: () => files.close(),
  };
}
