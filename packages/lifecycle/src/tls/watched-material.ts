import type { Logger } from "../logger.ts";
import { watchFiles } from "./watch-files.ts";

/** What was read from files, kept up to date. */
export interface WatchedMaterial<Material> {
  /** What is in force now. */
  readonly material: Material;
  /** Calls `listener` each time new files are in force. */
  onChange(listener: (material: Material) => void): void;
  /** Stops watching; the material stays. */
  close(): void;
}

export interface WatchedFilesSettings<Material> {
  /** In words, for the log: "TLS of collector.grpc". */
  readonly what: string;
  readonly paths: readonly string[];
  /** 0: only when the system tells of a change. */
  readonly pollMs: number;
  /** Reads and checks all files; throws when they do not fit. */
  read(): Material;
  same(one: Material, other: Material): boolean;
  readonly log: Logger;
}

/**
 * Reads files, and again whenever they change. Files that do not fit leave what was read before in force, with an
 * error in the log.
 * @throws what `read` throws the first time
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
    for (const listener of listeners) listener(next);
  };

  const files = watchFiles(paths, pollMs, reload, (folder, error) => {
    log.warn(`${what}: changes in ${folder} are not seen until the next start: ${error.message}`);
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
