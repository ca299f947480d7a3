import type { X509Certificate } from "node:crypto";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import type { Machine } from "./machine.ts";
import { installRoot, isTrustedBySystem } from "./trust-root.ts";

export const trustInstallers: ResourceKind<TrustInstaller> = { name: "pki.trust_installer" };

/**
 * Adds the server's own roots to the machine's trusted roots, one after the other, and each root only once while the
 * server runs.
 */
export class TrustInstaller implements SharedResource {
  readonly #machine: Machine;
  readonly #isTrusted: (root: X509Certificate) => boolean;
  readonly #seen = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  /** @param isTrusted for tests */
  constructor(machine: Machine, isTrusted = isTrustedBySystem) {
    this.#machine = machine;
    this.#isTrusted = isTrusted;
  }

  /** Never fails: failures are logged. @returns resolves when all stores were tried */
  install(root: X509Certificate, authority: string, log: Logger): Promise<void> {
    const { fingerprint256 } = root;
    if (!this.#seen.has(fingerprint256)) {
      this.#seen.add(fingerprint256);
      this.#last = this.#last.then(() => this.#install(root, authority, log));
    }
    return this.#last;
  }

  close(): void {}

  async #install(root: X509Certificate, authority: string, log: Logger): Promise<void> {
    const whose = `root of certificate authority ${authority}`;
    try {
      if (this.#isTrusted(root)) {
        log.info(`${whose}: trusted by the system already`);
        return;
      }
      for (const { store, fault } of await installRoot(this.#machine, root)) {
        if (fault === undefined) {
          log.info(`${whose}: trusted from now on by ${store}`);
        } else {
          log.warn(`${whose}: not trusted by ${store}: ${fault}; "server trust" tries again`);
        }
      }
    } catch (error) {
      log.warn(`${whose}: not trusted: ${messageOf(error)}; "server trust" tries again`);
    }
  }
}
