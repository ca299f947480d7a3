import { createLogger, createMetrics } from "lifecycle";
import { decodeDocument } from "../core/engine/config-document.ts";
import { errorWithin } from "../core/errors.ts";
import { parseJson } from "../core/json/parse-json.ts";
import { ConfigScope } from "../core/modules/config-scope.ts";
import { ModuleContext } from "../core/modules/module-context.ts";
import { defaultStorage, type Storage, storages } from "../core/storage/storage.ts";
import { registryFor } from "../core/user-modules/load-user-modules.ts";
import { Server } from "../server.ts";
import { findDefaultConfig, readConfig } from "./read-config.ts";

/** Folders beside the values of the default storage: the configurations that ran, and what instances lock. */
const foreignFolders = ["history/", "locks/"];

/** Whether a key is a value that an archive holds. */
export function isStoredValue(key: string): boolean {
  return !foreignFolders.some((folder) => key.startsWith(folder));
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
  const server = await Server.create({
    environment: process.env,
    log: createLogger({ name: "server", level: "error", encoding: "auto" }),
    metrics: createMetrics("admin-server"),
    onStopRequest: () => {},
  });
  const { services } = server;
  const scope = new ConfigScope({
    ...services,
    registry: await registryFor(services.registry, document.modules),
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
    await server.stop();
  }
}
