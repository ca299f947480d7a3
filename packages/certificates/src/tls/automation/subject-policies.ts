import { errorWithin, ServerError } from "server-core/errors";
import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import type { ModuleContext } from "server-core/modules/module-context";
import { replaceAll, replaceStrictly } from "server-core/placeholders/machine-placeholders";
import { type Storage, storages } from "server-core/storage/storage";
import { type KeyType, keyTypes } from "../../material/key-pair.ts";
import { type CertificateIssuer, issuers } from "../issuers/issuer.ts";
import { type ExternalManager, externalManagers } from "../managers/external-manager.ts";
import { isInternalName, subjectCovers } from "../subject-names.ts";
import type { AutomationConfig, AutomationPolicyConfig } from "./automation-schema.ts";
import type { AutomationPolicy } from "./certificate-manager.ts";
import { type CertificatePermission, permissions } from "./permission.ts";

const defaultRenewalRatio = 1 / 3;

/** A policy and the names that it applies to. */
export interface SubjectPolicy {
  /** Empty: all names. */
  readonly subjects: readonly string[];
  /** Settings for obtaining the certificates. Without issuers, the default issuers for the name are used. */
  readonly policy: Omit<AutomationPolicy, "issuers"> & {
    readonly issuers: readonly CertificateIssuer[] | undefined;
  };
  /** True when a certificate is obtained during the first handshake for its name. */
  readonly onDemand: boolean;
  /** True when on-demand certificates need a permission module. */
  readonly needsPermission: boolean;
  /** Modules that may provide the certificate instead of the issuers. */
  readonly managers: readonly ExternalManager[];
}

/** @throws ServerError MODULE_CONFIG */
function keyTypeOf(configured: string | null | undefined): KeyType {
  const text = replaceStrictly(configured || "p256");
  const found = keyTypes.find((type) => type === text);
  if (found === undefined) {
    throw new ServerError("MODULE_CONFIG", `unrecognized key type: ${text}`);
  }
  return found;
}

/** An issuer's config. A DNS challenge without a provider gets the common provider. */
function withProvider(issuer: JsonObject, provider: JsonObject | undefined): JsonObject {
  const { challenges } = issuer;
  if (provider === undefined || !isJsonObject(challenges) || !isJsonObject(challenges.dns)) {
    return issuer;
  }
  const dns = { ...challenges.dns, provider: challenges.dns.provider ?? provider };
  return { ...issuer, challenges: { ...challenges, dns } };
}

/** The policies of a config, and the default policy for other names. */
export class SubjectPolicies {
  readonly #context: ModuleContext;
  readonly #policies: SubjectPolicy[] = [];
  #internal: readonly CertificateIssuer[] = [];
  #public: readonly CertificateIssuer[] = [];
  #permission: CertificatePermission | undefined;
  #dns: JsonObject | undefined;

  constructor(context: ModuleContext) {
    this.#context = context;
  }

  /** Consulted before certificates are obtained on demand. */
  get permission(): CertificatePermission | undefined {
    return this.#permission;
  }

  /** Storages of all policies; a storage may occur twice. */
  get storages(): Storage[] {
    return this.#policies.map(({ policy }) => policy.storage);
  }

  /** @param dns provider config for issuers whose DNS challenge has no provider. @throws ServerError */
  async load(automation: AutomationConfig | null | undefined, dns?: JsonObject): Promise<void> {
    const context = this.#context;
    this.#dns = dns;
    this.#internal = [await context.load(issuers, "internal", {}, "automation")];
    this.#public = [await context.load(issuers, "acme", {}, "automation")];
    const { permission, ask } = automation?.on_demand ?? {};
    if (permission ?? ask) {
      const config = (permission ?? { module: "http", endpoint: replaceStrictly(ask ?? "") }) as JsonValue;
      this.#permission = await context.loadInline(
        permissions,
        "module",
        config,
        "automation/on_demand/permission",
      );
    }
    for (const [position, config] of (automation?.policies ?? []).entries()) {
      try {
        this.#policies.push(await this.#loadPolicy(config, `automation/policies/${position}`));
      } catch (error) {
        throw errorWithin(`automation policy ${position}`, error);
      }
    }
  }

  /** The first policy whose subjects match the name; undefined without such a policy. */
  find(name: string): SubjectPolicy | undefined {
    return this.#policies.find(
      ({ subjects }) => subjects.length === 0 || subjects.some((subject) => subjectCovers(subject, name)),
    );
  }

  /** The policy of a name, or the default policy. */
  policyFor(name: string): AutomationPolicy {
    const found = this.find(name)?.policy;
    return {
      storage: found?.storage ?? this.#context.storage,
      keyType: found?.keyType ?? "p256",
      renewalWindowRatio: found?.renewalWindowRatio ?? defaultRenewalRatio,
      reuseKeys: found?.reuseKeys ?? false,
      issuers: found?.issuers ?? (isInternalName(name) ? this.#internal : this.#public),
    };
  }

  /** @throws ServerError */
  async #loadPolicy(config: AutomationPolicyConfig, path: string): Promise<SubjectPolicy> {
    const context = this.#context;
    const managers: ExternalManager[] = [];
    for (const [position, manager] of (config.get_certificate ?? []).entries()) {
      const place = `${path}/get_certificate/${position}`;
      managers.push(await context.loadInline(externalManagers, "via", manager as JsonValue, place));
    }
    // Names listed in the config are safe, because clients cannot choose them. The server's own CA is safe too, because
    // its certificates cost nothing. Source: Caddy 2.11
    const subjects = (config.subjects ?? []).map((name) => replaceAll(name).toLowerCase());
    const isOpen = subjects.length === 0 || subjects.some((name) => name.startsWith("*"));
    const issuesInside = (config.issuers ?? []).every(({ module }) => module === "internal");
    const isGuarded = !isOpen || (issuesInside && (config.issuers ?? []).length > 0);
    if (config.on_demand === true && managers.length === 0 && this.#permission === undefined && !isGuarded) {
      throw new ServerError(
        "MODULE_CONFIG",
        "on-demand TLS cannot be enabled without a permission module to prevent abuse: set automation.on_demand.permission",
      );
    }
    const loaded: CertificateIssuer[] = [];
    for (const [position, issuer] of (config.issuers ?? []).entries()) {
      loaded.push(
        await context.loadInline(
          issuers,
          "module",
          withProvider(issuer as JsonObject, this.#dns),
          `${path}/issuers/${position}`,
        ),
      );
    }
    const storage = config.storage
      ? await context.loadInline(storages, "module", config.storage as JsonValue, `${path}/storage`)
      : context.storage;
    return {
      subjects,
      needsPermission: !isGuarded,
      // Certificates of external managers are requested on demand.
      onDemand: config.on_demand === true || managers.length > 0,
      managers,
      policy: {
        issuers: loaded.length > 0 ? loaded : undefined,
        storage,
        keyType: keyTypeOf(config.key_type),
        renewalWindowRatio: config.renewal_window_ratio ?? defaultRenewalRatio,
        reuseKeys: config.reuse_private_keys === true,
      },
    };
  }
}
