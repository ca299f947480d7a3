import type { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import { messageOf, ServerError } from "server-core/errors";
import { macStore, windowsStore } from "./desktop-stores.ts";
import { javaStore } from "./java-store.ts";
import { linuxStore } from "./linux-store.ts";
import type { Machine } from "./machine.ts";
import { nssStores } from "./nss-stores.ts";
import type { RootFile, TrustStore } from "./trust-store.ts";

async function systemStore(machine: Machine): Promise<TrustStore | undefined> {
  switch (machine.platform) {
    case "linux":
      return linuxStore(machine);
    case "darwin":
      return macStore(machine);
    case "win32":
      return windowsStore(machine);
    default:
      return undefined;
  }
}

/** All trust stores of a machine. The system's store is last, because it may ask for a password. */
async function trustStores(machine: Machine): Promise<TrustStore[]> {
  const [nss, java, system] = await Promise.all([
    nssStores(machine),
    javaStore(machine),
    systemStore(machine),
  ]);
  return [...nss, ...(java === undefined ? [] : [java]), ...(system === undefined ? [] : [system])];
}

/** True when the system already trusts a root. Only the first call in a process reads the system's store. */
export function isTrustedBySystem(root: X509Certificate): boolean {
  return getCACertificates("system").some(
    (pem) => pem.replace(/\s/g, "") === root.toString().replace(/\s/g, ""),
  );
}

/** The result for one trust store. */
export interface StoreOutcome {
  readonly store: string;
  /** The fault of this store; undefined when the change succeeded. */
  readonly fault: string | undefined;
}

async function inAllStores(
  machine: Machine,
  certificate: X509Certificate,
  act: (store: TrustStore, root: RootFile) => Promise<void>,
): Promise<StoreOutcome[]> {
  const stores = await trustStores(machine);
  if (stores.length === 0) {
    throw new ServerError("CERTIFICATE", `no trust store is known on this system (${machine.platform})`);
  }
  const folder = await mkdtemp(join(tmpdir(), "trust-"));
  try {
    const path = join(folder, "root.pem");
    await writeFile(path, certificate.toString());
    const outcomes: StoreOutcome[] = [];
    for (const store of stores) {
      try {
        await act(store, { certificate, path });
        outcomes.push({ store: store.name, fault: undefined });
      } catch (error) {
        outcomes.push({ store: store.name, fault: messageOf(error) });
      }
    }
    return outcomes;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Adds a root to all known trust stores of a machine. @throws ServerError CERTIFICATE when the machine has no known
 * trust store
 */
export function installRoot(machine: Machine, root: X509Certificate): Promise<StoreOutcome[]> {
  return inAllStores(machine, root, (store, file) => store.install(file));
}

/** Removes a root from the trust stores. @throws ServerError CERTIFICATE when the machine has no known trust store */
export function removeRoot(machine: Machine, root: X509Certificate): Promise<StoreOutcome[]> {
  return inAllStores(machine, root, (store, file) => store.remove(file));
}
