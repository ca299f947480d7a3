import type { LoadedCertificate } from "certificates/material/loaded-certificate";
import type { CertificateCache } from "certificates/tls/certificates/certificate-cache";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** The parts of a config that concern certificates of the server itself. */
export interface IdentitySource {
  /** Certificates that were obtained so far. */
  readonly cache: CertificateCache;
  /** Names that the server is known by, the most usual one first. */
  readonly identifiers: readonly string[];
}

/**
 * The server's own certificates, which it obtains itself. One store for the process: the running config fills
 * it, and every listener or client that needs a certificate reads it.
 */
export class IdentityCertificates implements SharedResource {
  #source: IdentitySource | undefined;
  readonly #listeners = new Set<() => void>();

  /** Takes what a config has, from now on. */
  use(source: IdentitySource): void {
    this.#source = source;
    this.changed();
  }

  /** Withdraws the source, unless a newer config has replaced it. */
  release(source: IdentitySource): void {
    if (this.#source === source) {
      this.#source = undefined;
      this.changed();
    }
  }

  /** Tells that certificates came or went. */
  changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Has `listener` called whenever certificates came or went. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Forgets who wants to know of changes. */
  close(): void {
    this.#listeners.clear();
  }

  /** The one for a name that a client asks for. */
  find(name: string): LoadedCertificate | undefined {
    return this.#source?.cache.find(name.toLowerCase())[0];
  }

  /** The one for clients that ask for no name. */
  get usual(): LoadedCertificate | undefined {
    for (const name of this.#source?.identifiers ?? []) {
      const found = this.find(name);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }
}

/** The one store of the process, which configs share. */
export const identityCertificates: ResourceKind<IdentityCertificates> = { name: "admin.identity" };
