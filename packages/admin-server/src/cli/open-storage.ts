import { storageModules } from "certificates/tls/storage/storage-modules";
import { createLogger, createMetrics } from "lifecycle";
import { decodeDocument } from "server-core/engine/config-document";
import { errorWithin } from "server-core/errors";
import { dataFolder } from "server-core/history/data-folder";
import { parseJson } from "server-core/json/parse-json";
import { ConfigContext } from "server-core/modules/config-context";
import { ConfigScope } from "server-core/modules/config-scope";
import { ModuleRegistry } from "server-core/modules/module-registry";
import { PartCache } from "server-core/modules/part-cache";
import { UsagePool } from "server-core/modules/usage-pool";
import { defaultStorage, type Storage, storages } from "server-core/storage/storage";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { openThreads } from "../worker/open-threads.ts";
import { findDefaultConfig, readConfig } from "./read-config.ts";

/** Folders of the default storage that archives leave out, because old configs and locks must not be restored. */
const foreignFolders = ["history/", "locks/"];

/** True for a value that belongs in an archive. */
export function isStoredValue(key: string): boolean {
  return !foreignFolders.some((folder) => key.startsWith(folder));
}

/**
 * The registry for opening a storage: only the server's storage modules, or all modules if the config names user
 * modules, which may use them.
 */
async function registryOf(own: readonly string[]): Promise<ModuleRegistry> {
  if (own.length === 0) {
    return new ModuleRegistry(storageModules);
  }
  const { allModules } = await import("../all-modules.ts");
  return registryFor(allModules(), own);
}

/**
 * Opens the storage of a config, including user modules, and closes it after `use`.
 * @param config config file; "": the Serverfile of the working folder if it exists, otherwise the default storage
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
    const context = new ConfigContext(scope, "/config");
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
