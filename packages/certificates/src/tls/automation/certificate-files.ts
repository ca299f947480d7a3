import type { Storage } from "server-core/storage/storage";
import { type LoadedCertificate, loadCertificate } from "../../material/loaded-certificate.ts";

/** Keys of a managed certificate in the storage, with the same names as in certmagic. */
export function certificateKeys(issuerKey: string, name: string): { crt: string; key: string; json: string } {
  const safe = (text: string) =>
    text
      .toLowerCase()
      .replaceAll("*", "wildcard_")
      .replace(/[^\w@.-]/g, "");
  const base = `certificates/${safe(issuerKey)}/${safe(name)}/${safe(name)}`;
  return { crt: `${base}.crt`, key: `${base}.key`, json: `${base}.json` };
}

/** @returns undefined when the certificate or its key is not stored. @throws ServerError STORAGE, CERTIFICATE */
export async function loadManaged(
  storage: Storage,
  issuerKey: string,
  name: string,
): Promise<LoadedCertificate | undefined> {
  const keys = certificateKeys(issuerKey, name);
  const [crt, key] = await Promise.all([storage.load(keys.crt), storage.load(keys.key)]);
  return crt === undefined || key === undefined
    ? undefined
    : loadCertificate(crt, key, keys.crt, ["managed"]);
}

interface ManagedFiles {
  readonly issuerKey: string;
  readonly name: string;
  readonly certificate: LoadedCertificate;
  readonly data: Readonly<Record<string, unknown>>;
}

/** @throws ServerError STORAGE */
export async function storeManaged(
  storage: Storage,
  { issuerKey, name, certificate, data }: ManagedFiles,
): Promise<void> {
  const keys = certificateKeys(issuerKey, name);
  // The certificate is stored last, because the other files count only together with it.
  await storage.store(keys.key, certificate.keyPem);
  await storage.store(keys.json, JSON.stringify({ sans: [name], issuer_data: data }, null, "\t"));
  await storage.store(keys.crt, certificate.chainPem);
}
