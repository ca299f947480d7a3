import { createLogger, createMetrics } from "lifecycle";
import { decodeDocument } from "../core/engine/config-document.ts";
import { errorWithin } from "../core/errors.ts";
import { dataFolder } from "../core/history/data-folder.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { ConfigScope } from "../core/modules/config-scope.ts";
import { ModuleContext } from "../core/modules/module-context.ts";
import { ModuleRegistry } from "../core/modules/module-registry.ts";
import { PartCache } from "../core/modules/part-cache.ts";
import { UsagePool } from "../core/modules/usage-pool.ts";
import { defaultStorage, type Storage, storages } from "../core/storage/storage.ts";
import { registryFor } from "../core/user-modules/load-user-modules.ts";
import { storageModules } from "../tls/storage/storage-modules.ts";
import { openThreads } from "../worker/open-threads.ts";
import { findDefaultConfig, readConfig } from "./read-config.ts";

/** Folders beside the values of the default storage: the configurations that ran, and what instances lock. */
const foreignFolders = ["history/", "locks/"];

/** Whether a key is a value that an archive holds. */
export function isStoredValue(key: string): boolean {
  return !foreignFolders.some((folder) => key.startsWith(folder));
}

/** Modules that may be storages: those of the server alone, or all there are where a configuration brings its own, which may use them. */
async function registryOf(own: readonly string[]): Promise<ModuleRegistry> {
  if (own.length === 0) {
    return new ModuleRegistry(storageModules);
  }
  const { allModules } = await import("../all-modules.ts");
  return registryFor(allModules(), own);
}

/**
 * Opens the storage of a configuration, its own modules included, and gives it back when `use` is done.
 * @param config "" is the Serverfile of the working folder, if there is one, else the default storage
 * @throws StartError, ServerError
 */
export async function withStorage(
  config: string,
  adapter: string,
  use: (storage: Storage) => Promise<void>,
): Promise<void> {
  const file = config || (findDefaultConfig() ?? "");
  const json = file === "" ? null : parseJson((await readConfig(file, adapter)).json);
  const document = decodeDocument(json);
  const log = createLogger({ name: "server", level: "error", encoding: "auto" });
  const folder = dataFolder(process.env);
  const scope = new ConfigScope({
    registry: await registryOf(document.modules),
    pool: new UsagePool(),
    parts: new PartCache(),
    log,
    metrics: createMetrics("admin-server"),
    ...openThreads(log, undefined, folder),
    dataFolder: folder,
    changesTrustStores: false,
  });
  try {
    const context = new ModuleContext(scope, "/config");
    const module = document.storage ?? { module: defaultStorage };
    let storage: Storage;
    try {
      storage = await context.loadInline(storages, "module", module, "storage");
    } catch (error) {
      throw errorWithin("loading storage module", error);
    }
    await use(storage);
  } finally {
    await scope.close();
  }
}
