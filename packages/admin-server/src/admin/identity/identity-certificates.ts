import type { LoadedCertificate } from "certificates/material/loaded-certificate";
import type { CertificateCache } from "certificates/tls/certificates/certificate-cache";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** The source from which a config takes the server's own certificates. */
export interface IdentitySource {
  /** Certificates obtained until now. */
  readonly cache: CertificateCache;
  /** Names of the server; the first name is the default. */
  readonly identifiers: readonly string[];
}

/**
 * The server's own certificates, which it obtains itself. The process has one such object: the running config sets its
 * source, and every listener or client that needs a certificate reads it.
 */
export class IdentityCertificates implements SharedResource {
  #source: IdentitySource | undefined;
  readonly #listeners = new Set<() => void>();

  /** Replaces the source by a config's source. */
  use(source: IdentitySource): void {
    this.#source = source;
    this.changed();
  }

  /** Removes the source, unless a newer config has replaced it. */
  release(source: IdentitySource): void {
    if (this.#source === source) {
      this.#source = undefined;
      this.changed();
    }
  }

  /** Notifies the listeners that certificates were added or removed. */
  changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Registers a listener that is called whenever certificates are added or removed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Removes the listeners. */
  close(): void {
    this.#listeners.clear();
  }

  /** The certificate for a name that a client requests. */
  find(name: string): LoadedCertificate | undefined {
    return this.#source?.cache.find(name.toLowerCase())[0];
  }

  /** The certificate for clients without a requested name. */
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

/** The process has one resource of this kind, which all configs share. */
export const identityCertificates: ResourceKind<IdentityCertificates> = { name: "admin.identity" };
