import { CertificateManager } from "certificates/tls/automation/certificate-manager";
import { CertificateCache } from "certificates/tls/certificates/certificate-cache";
import { type CertificateIssuer, issuers } from "certificates/tls/issuers/issuer";
import { isInternalName, qualifiesForCertificate } from "certificates/tls/subject-names";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { Lease } from "server-core/modules/usage-pool";
import { type Storage, storages } from "server-core/storage/storage";
import { IdentityCertificates, type IdentitySource, identityCertificates } from "./identity-certificates.ts";
import { type IdentityConfig, identitySchema, obtainedIdentifiers } from "./identity-config.ts";

/** Milliseconds between two checks for certificates to renew. */
const renewEveryMs = 600_000;
/** Fraction of a certificate's lifetime: a certificate with less remaining time is renewed. */
const renewalWindowRatio = 1 / 3;

/**
 * Obtains and renews the certificates that identify the server. The certificates are stored in the server's own folder,
 * not in the configured storage, which other servers may share. Source: Caddy 2.11, its identity
 */
class IdentityApp implements App {
  readonly #config: IdentityConfig | null;
  readonly #context: ModuleContext;
  readonly #source: IdentitySource;
  #manager: CertificateManager | undefined;
  #certificates: Lease<IdentityCertificates> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(config: IdentityConfig | null, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
    this.#source = { cache: new CertificateCache(), identifiers: obtainedIdentifiers(config) };
  }

  /** @throws ServerError for an identifier that cannot have a certificate, and for invalid issuers */
  async provision(): Promise<void> {
    const { identifiers, cache } = this.#source;
    const unfit = identifiers.findIndex((name) => !qualifiesForCertificate(name));
    if (unfit >= 0) {
      const path = `${this.#context.path}/identifiers/${unfit}`;
      throw new ServerError(
        "MODULE_CONFIG",
        `${JSON.stringify(identifiers[unfit])} does not qualify for a certificate, at ${path}`,
        { path },
      );
    }
    const configured: CertificateIssuer[] = [];
    for (const [position, issuer] of (this.#config?.issuers ?? []).entries()) {
      const path = `issuers/${position}`;
      configured.push(await this.#context.loadInline(issuers, "module", issuer as JsonValue, path));
    }
    if (identifiers.length === 0) {
      return;
    }
    const storage = await this.#context.loadInline(storages, "module", { module: "file_system" }, "storage");
    const usual = configured.length > 0 ? undefined : await this.#usualIssuers();
    this.#manager = new CertificateManager({
      policyFor: (name) => policy(storage, usual?.(name) ?? configured),
      cache,
      log: this.#context.log,
      onChange: () => this.#certificates?.value.changed(),
    });
  }

  /** Begins to obtain missing certificates in the background: a certificate may arrive after the config runs. */
  async start(): Promise<void> {
    const manager = this.#manager;
    if (manager === undefined) {
      return;
    }
    const create = () => new IdentityCertificates();
    this.#certificates = await this.#context.acquire(identityCertificates, "", create);
    await Promise.all(this.#source.identifiers.map((name) => manager.manage(name)));
    this.#timer = setInterval(() => void manager.renewDue(), renewEveryMs);
    this.#timer.unref();
  }

  /** From now on handshakes use this config's certificates. */
  activate(): void {
    this.#certificates?.value.use(this.#source);
  }

  // No-op: the admin endpoint may use the certificates until `close`.
  async stop(): Promise<void> {}

  /** Stops renewal, and withdraws the certificates unless a newer config has replaced them. */
  close(): void {
    clearInterval(this.#timer);
    this.#manager?.close();
    this.#certificates?.value.release(this.#source);
  }

  /** Default issuers: the internal CA for internal names, ACME for others. */
  async #usualIssuers(): Promise<(name: string) => readonly CertificateIssuer[]> {
    const internal = [await this.#context.load(issuers, "internal", {}, "issuers")];
    const acme = [await this.#context.load(issuers, "acme", {}, "issuers")];
    return (name) => (isInternalName(name) ? internal : acme);
  }
}

/** Certificate policy of the server's identity. */
function policy(storage: Storage, from: readonly CertificateIssuer[]) {
  return { storage, issuers: from, keyType: "p256" as const, renewalWindowRatio, reuseKeys: false };
}

/** The app for `admin.identity`; loaded for every config, like `logging`. */
export const identityApp = defineModule({
  id: "admin.identity.app",
  config: identitySchema.nullable(),
  async provision(config, context) {
    const app = new IdentityApp(config, context);
    await app.provision();
    return app;
  },
});
