import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import { replaceAll, replaceKnown } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { type LoadedCertificate, loadCertificate } from "../../material/loaded-certificate.ts";
import { findKey } from "../../material/pem.ts";
import { readPemFile } from "../../material/read-file.ts";
import type { CertificateLoader } from "../certificates/certificate-loader.ts";

const tags = z.array(z.string()).nullish().describe("By which connection policies choose.");
const format = z.enum(["pem"]).nullish().describe("`pem`, the only one.");

interface Pair {
  readonly certificate: string;
  readonly key: string;
  readonly tags?: readonly string[] | null | undefined;
}

/** A pair whose placeholders are replaced by their values. Source: Caddy 2.11 */
function filledPair({ certificate, key, tags: given }: Pair): Pair {
  return {
    certificate: replaceKnown(certificate),
    key: replaceKnown(key),
    tags: given?.map((tag) => replaceKnown(tag)),
  };
}

/** Certificates from pairs of files. Source: Caddy 2.11 */
export const fileLoader = defineModule({
  id: "tls.certificates.load_files",
  config: z.array(
    z.strictObject({
      certificate: z.string().describe("Path of a PEM file: the certificate, then its chain."),
      key: z.string().describe("Path of a PEM file: its key."),
      format,
      tags,
    }),
  ),
  provision(configured): CertificateLoader {
    const pairs = configured.map(filledPair);
    return {
      load: () =>
        Promise.all(
          pairs.map(async (pair) => {
            const [chain, key] = await Promise.all([readPemFile(pair.certificate), readPemFile(pair.key)]);
            return loadCertificate(chain, key, `${pair.certificate}, ${pair.key}`, pair.tags ?? []);
          }),
        ),
    };
  },
});

/** Certificates from folders and their subfolders: every `.pem` file contains a certificate, its chain and its key. */
export const folderLoader = defineModule({
  id: "tls.certificates.load_folders",
  config: z.array(z.string()).describe("Folders, looked through with all below them."),
  provision(configured): CertificateLoader {
    const folders = configured.map((folder) => replaceKnown(folder));
    return {
      async load() {
        const loaded: LoadedCertificate[] = [];
        for (const folder of folders) {
          for (const path of await pemFiles(folder)) {
            const text = await readPemFile(path);
            const key = findKey(text);
            if (key === undefined) {
              throw new ServerError("CERTIFICATE", `${path}: no private key in PEM`);
            }
            loaded.push(loadCertificate(text, key, path));
          }
        }
        return loaded;
      },
    };
  },
});

async function pemFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith(".pem"))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    throw new ServerError("CERTIFICATE", `${folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** Certificates in the config itself. */
export const pemLoader = defineModule({
  id: "tls.certificates.load_pem",
  config: z.array(
    z.strictObject({
      certificate: z.string().describe("PEM: the certificate, then its chain."),
      key: z.string().describe("PEM. Whoever may read the config may read it."),
      tags,
    }),
  ),
  provision(configured): CertificateLoader {
    const pairs = configured.map(filledPair);
    return {
      load: async () =>
        pairs.map(({ certificate, key, tags: given }, position) =>
          loadCertificate(certificate, key, `load_pem ${position}`, given ?? []),
        ),
    };
  },
});

/** Certificates that an operator or another program wrote to the storage. */
export const storageLoader = defineModule({
  id: "tls.certificates.load_storage",
  config: z.strictObject({
    pairs: z
      .array(
        z.strictObject({
          certificate: z.string().describe("Its key in the storage."),
          key: z.string().describe("The private key's key in the storage."),
          format,
          tags,
        }),
      )
      .nullish(),
  }),
  provision(config, context): CertificateLoader {
    const { storage } = context;
    return {
      load: () =>
        Promise.all(
          (config.pairs ?? []).map(filledPair).map(async (pair) => {
            const [chain, key] = await Promise.all([storage.load(pair.certificate), storage.load(pair.key)]);
            if (chain === undefined || key === undefined) {
              const missing = chain === undefined ? pair.certificate : pair.key;
              throw new ServerError("CERTIFICATE", `${missing}: not in the storage`);
            }
            return loadCertificate(chain, key, `${pair.certificate}, ${pair.key}`, pair.tags ?? []);
          }),
        ),
    };
  },
});

/** Loads no certificates, but lists names whose certificates the server obtains and renews. */
export const automateLoader = defineModule({
  id: "tls.certificates.automate",
  config: z.array(z.string()).describe("Names to obtain certificates for, beside those of sites."),
  provision: (names): CertificateLoader => ({
    automate: names.map((name) => replaceAll(name)),
    load: async () => [],
  }),
});
