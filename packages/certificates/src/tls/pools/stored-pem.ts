import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleContext } from "server-core/modules/module-context";
import { storages } from "server-core/storage/storage";
import { certificateTopics } from "../../material/certificate-messages.ts";

/** Texts by key, of certificates in a storage. @throws ServerError CERTIFICATE when one is not there */
export type StoredPems = (key: string) => Promise<string>;

/**
 * Opens the storage that a module names, else that of the server, also in threads that have none.
 * @param config of the storage
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
