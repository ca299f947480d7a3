import { rootCertificates } from "node:tls";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { replaceKnown } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { certificatesToPem, parseCertificates } from "../../material/pem.ts";
import { readPemFile } from "../../material/read-file.ts";
import { type AuthorityInfo, authorityTopic, defaultAuthority } from "../../pki/pki-app.ts";
import { type CaPool, caPools, certificateFromBase64 } from "../connection/ca-pool.ts";
import { openStoredPems } from "./stored-pem.ts";

/** Splits a PEM bundle into one text for each certificate, as Node's TLS expects. */
export function separate(pem: string | Uint8Array, source: string): string[] {
  return parseCertificates(pem, source).map((each) => certificatesToPem([each]));
}

/** Authorities in the config itself. */
export const inlineCaPool = defineModule({
  id: "tls.ca_pool.source.inline",
  config: z.strictObject({ trusted_ca_certs: z.array(z.string()).describe("DER in base64.") }),
  provision: (config): CaPool => ({
    load: async () =>
      config.trusted_ca_certs.map((text, position) =>
        certificatesToPem([certificateFromBase64(text, `trusted_ca_certs ${position}`)]),
      ),
  }),
});

/** Authorities from PEM files. */
export const fileCaPool = defineModule({
  id: "tls.ca_pool.source.file",
  config: z.strictObject({ pem_files: z.array(z.string()).describe("Paths.") }),
  provision: (config): CaPool => ({
    load: async () =>
      (
        await Promise.all(
          config.pem_files
            .map((path) => replaceKnown(path))
            .map(async (path) => separate(await readPemFile(path), path)),
        )
      ).flat(),
  }),
});

const authorityConfig = z.strictObject({
  authority: z.array(z.string()).nullish().describe("Ids of authorities of the app pki (local)."),
});

async function authorities(
  ids: readonly string[] | null | undefined,
  context: ModuleContext,
  choose: (info: AuthorityInfo) => string,
): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids ?? [defaultAuthority]) {
    const info = (await context.messages.askMain(authorityTopic, id)) as AuthorityInfo | undefined;
    if (info === undefined) {
      throw new ServerError("CERTIFICATE", `no certificate authority configured with id: ${id}`);
    }
    found.push(...separate(choose(info), id));
  }
  return found;
}

/** Roots of the server's own authorities. */
export const pkiRootCaPool = defineModule({
  id: "tls.ca_pool.source.pki_root",
  config: authorityConfig,
  provision: (config, context): CaPool => ({
    load: () => authorities(config.authority, context, (info) => info.rootPem),
  }),
});

/** Intermediates of the server's own authorities. */
export const pkiIntermediateCaPool = defineModule({
  id: "tls.ca_pool.source.pki_intermediate",
  config: authorityConfig,
  provision: (config, context): CaPool => ({
    load: () => authorities(config.authority, context, (info) => info.intermediatePem),
  }),
});

/** Authorities from the storage. */
export const storageCaPool = defineModule({
  id: "tls.ca_pool.source.storage",
  config: z.strictObject({
    pem_keys: z.array(z.string()).describe("Keys in the storage."),
    storage: inlineModule("storage", "module").nullish().describe("The storage (as all does)."),
  }),
  async provision(config, context): Promise<CaPool> {
    const stored = await openStoredPems(config.storage, context);
    return {
      async load() {
        const found: string[] = [];
        for (const key of config.pem_keys) {
          found.push(...separate(await stored(key), key));
        }
        return found;
      },
    };
  },
});

/** CAs that browsers trust, from the list in this release of Node. */
export const systemCaPool = defineModule({
  id: "tls.ca_pool.source.system",
  config: z.strictObject({}),
  provision: (): CaPool => ({ load: async () => [...rootCertificates] }),
});

/** All authorities of several pools. */
export const combinedCaPool = defineModule({
  id: "tls.ca_pool.source.combined",
  config: z.strictObject({
    sources: z.array(inlineModule("tls.ca_pool.source", "provider")).describe("Pools."),
  }),
  async provision(config, context): Promise<CaPool> {
    const pools: CaPool[] = [];
    for (const [position, source] of config.sources.entries()) {
      pools.push(await context.loadInline(caPools, "provider", source as JsonValue, `sources/${position}`));
    }
    return { load: async () => (await Promise.all(pools.map((pool) => pool.load()))).flat() };
  },
});
