import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleContext } from "server-core/modules/module-context";
import { storages } from "server-core/storage/storage";
import { certificateTopics } from "../../material/certificate-messages.ts";

/** Loads a PEM text from a storage. @throws ServerError CERTIFICATE when the key is missing */
export type StoredPems = (key: string) => Promise<string>;

/**
 * Opens the storage that a module names, or else the server's storage. Threads read the
 * server's storage through the main thread.
 * @param config the module's field `storage`
 * @throws ServerError MODULE_CONFIG
 */
export async function openStoredPems(config: unknown, context: ModuleContext): Promise<StoredPems> {
  const storage = config
    ? await context.loadInline(storages, "module", config as JsonValue, "storage")
    : undefined;
  return async (key) => {
    const pem =
      storage === undefined
        ? ((await context.messages.askMain(certificateTopics.stored, key)) as string | undefined)
        : (await storage.load(key))?.toString();
    if (pem === undefined) {
      throw new ServerError("CERTIFICATE", `${key}: not in the storage`);
    }
    return pem;
  };
}
