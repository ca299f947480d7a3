import type { X509Certificate } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, ServerError } from "server-core/errors";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { replaceKnown } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { parseCertificates } from "../../material/pem.ts";
import { readPemFile } from "../../material/read-file.ts";
import type { ClientVerifier } from "../connection/client-auth.ts";
import { openStoredPems } from "./stored-pem.ts";

const loaderSchema = z.discriminatedUnion("loader", [
  z.strictObject({ loader: z.literal("file"), files: z.array(z.string()).describe("PEM files.") }),
  z.strictObject({
    loader: z.literal("folder"),
    folders: z.array(z.string()).describe("Folders of .pem files."),
  }),
  z.strictObject({ loader: z.literal("pem"), certificates: z.array(z.string()).describe("PEM texts.") }),
  z.strictObject({
    loader: z.literal("storage"),
    certificates: z.array(z.string()).describe("Keys in the storage."),
    storage: inlineModule("storage", "module").nullish().describe("The storage (as all does)."),
  }),
]);

async function load(
  config: z.infer<typeof loaderSchema>,
  context: ModuleContext,
): Promise<X509Certificate[]> {
  switch (config.loader) {
    case "storage": {
      const stored = await openStoredPems(config.storage, context);
      const pems = await Promise.all(config.certificates.map((key) => stored(replaceKnown(key))));
      return pems.flatMap((pem, position) => parseCertificates(pem, config.certificates[position] ?? ""));
    }
    case "pem":
      return config.certificates.flatMap((pem, position) =>
        parseCertificates(replaceKnown(pem), `certificates ${position}`),
      );
    case "file":
      return fromFiles(config.files.map((path) => replaceKnown(path)));
    case "folder": {
      const files: string[] = [];
      for (const folder of config.folders.map((path) => replaceKnown(path))) {
        try {
          const names = await readdir(folder);
          files.push(...names.filter((name) => name.endsWith(".pem")).map((name) => join(folder, name)));
        } catch (error) {
          throw new ServerError("CERTIFICATE", `${folder}: ${messageOf(error)}`, { cause: error });
        }
      }
      return fromFiles(files);
    }
  }
}

async function fromFiles(paths: readonly string[]): Promise<X509Certificate[]> {
  return (
    await Promise.all(paths.map(async (path) => parseCertificates(await readPemFile(path), path)))
  ).flat();
}

/** Accepts only listed client certificates. Source: Caddy 2.11 */
export const leafVerifier = defineModule({
  id: "tls.client_auth.verifier.leaf",
  config: z.strictObject({
    leaf_certs_loaders: z.array(loaderSchema).nullish().describe("Where the certificates come from."),
  }),
  async provision(config, context): Promise<ClientVerifier> {
    const loaders = config.leaf_certs_loaders ?? [];
    const lists = await Promise.all(loaders.map((loader) => load(loader, context)));
    const known = new Set(lists.flat().map(({ fingerprint256 }) => fingerprint256));
    return {
      fault: ({ fingerprint256 }) =>
        known.has(fingerprint256) ? undefined : "the client's certificate is not one of the listed ones",
    };
  },
});
