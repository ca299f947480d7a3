// Builds the app `tls`. Each site has a policy for its names:
//
// | site | policy |
// |---|---|
// | names without settings | empty: the server's default issuers |
// | public and internal names, no issuers | the public names' policy, and a policy with the internal issuer |
// | any host | the policy for all names that no other policy lists |
// | only `http://` | no policy |
//
// Afterwards global options fill unset fields of issuers, and equal policies are merged.

import { ServerError } from "server-core/errors";
import { usePortOtherThan } from "../addresses/network-address.ts";
import type { Token } from "../lexer/token.ts";
import { type GlobalOptions, httpPortOf } from "../sites/global-options.ts";
import type { ServerSites } from "../sites/listeners.ts";
import { hostsOf, resultsOf, type ServedSite } from "../sites/site.ts";
import { childOf, type Draft, isEmptyDraft, onlyGiven, sameJson } from "../values/draft.ts";
import { defaultIssuers, fillAcmeDefaults, hasGlobalAcmeOptions, isAcme } from "./acme-defaults.ts";
import {
  type AutomationPolicy,
  consolidatePolicies,
  emptyPolicy,
  hasPublicNamesOnly,
  policyToJson,
} from "./automation-policies.ts";
import {
  isPublicSubject,
  isTailscaleName,
  matchesWildcard,
  qualifiesForCertificate,
  qualifiesForPublicCertificate,
} from "./certificate-subjects.ts";

/** The policy from the global options; undefined when they have no certificate settings. */
function basePolicy(options: GlobalOptions): AutomationPolicy | undefined {
  const saysSomething =
    options.certIssuers !== undefined ||
    options.localCerts === true ||
    options.keyType !== undefined ||
    options.ocspStaplingOff === true ||
    options.renewalWindowRatio !== undefined;
  if (!saysSomething && !hasGlobalAcmeOptions(options)) {
    return undefined;
  }
  if (options.certIssuers !== undefined && options.localCerts === true) {
    throw new ServerError(
      "CONFIG_ADAPTER",
      "global options are ambiguous: local_certs is confusing when combined with cert_issuer, because local_certs is also a specific kind of issuer",
    );
  }
  const policy = emptyPolicy();
  policy.issuers = options.certIssuers ?? (options.localCerts === true ? [{ module: "internal" }] : []);
  policy.keyType = options.keyType ?? "";
  policy.disableOcspStapling = options.ocspStaplingOff === true;
  policy.renewalWindowRatio = options.renewalWindowRatio ?? 0;
  if (hasGlobalAcmeOptions(options)) {
    for (const issuer of policy.issuers) {
      fillAcmeDefaults(issuer, options);
    }
  }
  return policy;
}

/** Hosts of HTTPS addresses in sites that also have an address for any host. */
function hostsBesideAnyHost(groups: readonly ServerSites[], options: GlobalOptions): Set<string> {
  const hosts = new Set<string>();
  const httpPort = `${httpPortOf(options)}`;
  for (const { addresses } of groups.flatMap(({ sites }) => sites)) {
    if (addresses.some(({ host }) => host === "")) {
      for (const { host, scheme, port } of addresses) {
        if (host !== "" && scheme !== "http" && port !== httpPort) {
          hosts.add(host);
        }
      }
    }
  }
  return hosts;
}

/** The error for a name that cannot have a certificate; its position is the first address with this name. */
function refusedName(name: string, keys: readonly Token[]): ServerError {
  const key = keys.find(({ text }) => text.toLowerCase().includes(name)) ?? keys[0];
  const reason =
    name === "}"
      ? "Unexpected '}' because no matching opening brace"
      : `subject does not qualify for certificate: '${name}'`;
  return new ServerError(
    "CONFIG_ADAPTER",
    key === undefined ? reason : `${reason}, at ${key.file}:${key.line}`,
    {
      place: key && { file: key.file, line: key.line, word: key.text },
    },
  );
}

/** Collects policies, certificates and names over all sites. */
class TlsApp {
  readonly #options: GlobalOptions;
  /**
   * Policies of the sites so far; the first policy comes from the global options, if they have certificate settings.
   */
  readonly #policies: AutomationPolicy[] = [];
  /** Members of `certificates`: files, folders, and names to manage. */
  readonly #certificates: Draft = {};
  /** Names of sites with `tls force_automate`. */
  readonly #forced = new Set<string>();
  /** The policy for names that no other policy lists; undefined without settings. */
  #catchAll: AutomationPolicy | undefined;

  constructor(options: GlobalOptions) {
    this.#options = options;
    this.#catchAll = basePolicy(options);
    if (this.#catchAll !== undefined) {
      this.#policies.push(this.#catchAll);
    }
  }

  /** Adds the policy and the certificates of a site. @throws ServerError CONFIG_ADAPTER */
  addSite(served: ServedSite): void {
    const { site } = served;
    const hosts = hostsOf(served);
    const isCatchAll = hosts.length === 0 && this.#catchAll !== undefined;
    const policy = (isCatchAll ? this.#catchAll : basePolicy(this.#options)) ?? emptyPolicy();
    if (resultsOf(site, "onDemand").length > 0) {
      policy.onDemand = true;
    }
    if (resultsOf(site, "forceAutomate").length > 0) {
      for (const host of hosts) {
        this.#forced.add(host);
      }
    }
    if (resultsOf(site, "reusePrivateKeys").length > 0) {
      policy.reusePrivateKeys = true;
    }
    const [keyType] = resultsOf(site, "keyType");
    const [ratio] = resultsOf(site, "renewalWindowRatio");
    policy.keyType = keyType?.keyType ?? policy.keyType;
    policy.renewalWindowRatio = ratio?.ratio ?? this.#options.renewalWindowRatio ?? policy.renewalWindowRatio;
    this.#addIssuers(served, policy, isCatchAll);
    policy.managers.push(...resultsOf(site, "certificateManager").map(({ manager }) => manager));
    this.#bindIssuers(served, policy);
    if (hosts.length === 0) {
      this.#catchAll ??= policy;
    }
    this.#addNames(served, policy);
    for (const { loader, list } of resultsOf(site, "certificates")) {
      const present = (this.#certificates[loader] ?? []) as (Draft | string)[];
      this.#certificates[loader] = [...present, ...list];
    }
  }

  /**
   * Sets the issuers of a site's policy. @throws ServerError CONFIG_ADAPTER when a site for any host contradicts the
   * global options
   */
  #addIssuers({ site }: ServedSite, policy: AutomationPolicy, isCatchAll: boolean): void {
    const issuers = resultsOf(site, "issuer").map(({ issuer }) => issuer);
    if (issuers.length === 0) {
      return;
    }
    if (isCatchAll && !sameJson(policy.issuers, issuers)) {
      throw new ServerError(
        "CONFIG_ADAPTER",
        "automation policy from site block is also default/catch-all policy because of key without hostname, and the two are in conflict",
      );
    }
    policy.issuers = issuers;
  }

  /** Sets the site's listen address as the address for challenges. */
  #bindIssuers({ site }: ServedSite, policy: AutomationPolicy): void {
    for (const { bind } of resultsOf(site, "bind")) {
      for (const issuer of policy.issuers.filter(isAcme)) {
        const challenges = childOf(issuer, "challenges");
        const [address = ""] = bind.addresses;
        if (challenges.bind_host === undefined && address !== "") {
          challenges.bind_host = address;
        }
      }
    }
  }

  /**
   * Adds the names of a site to its policy. If the site also has public names, its internal names get a separate
   * policy.
   */
  #addNames({ addresses, site }: ServedSite, policy: AutomationPolicy): void {
    const httpPort = `${httpPortOf(this.#options)}`;
    const names = addresses
      .filter(({ host, scheme, port }) => host !== "" && scheme !== "http" && port !== httpPort)
      .map(({ host }) => host);
    policy.subjects = [...new Set(names)].sort();
    const own: string[] = [];
    const external: string[] = [];
    if (policy.issuers.length === 0) {
      for (const name of policy.subjects.filter((each) => !isTailscaleName(each))) {
        if (!qualifiesForCertificate(name)) {
          throw refusedName(name, site.block.keys);
        }
        (isPublicSubject(name, policy.onDemand) ? external : own).push(name);
      }
    }
    this.#policies.push(policy);
    if (external.length > 0 && own.length > 0) {
      policy.subjects = external;
      this.#policies.push({
        ...policy,
        subjects: own,
        issuers: [{ module: "internal" }],
        isImplicitlyInternal: true,
      });
    }
  }

  /** Returns the app after applying the global options. This method is called only once. */
  finish(besideAnyHost: ReadonlySet<string>): Draft {
    this.#addPublicNames();
    this.#automate(besideAnyHost);
    const options = this.#options;
    if (options.email !== undefined || hasGlobalAcmeOptions(options)) {
      for (const policy of this.#policies) {
        if (policy.issuers.length === 0 && hasPublicNamesOnly(policy)) {
          policy.issuers =
            options.acmeCa === undefined ? defaultIssuers(options.email ?? "") : [{ module: "acme" }];
        }
      }
    }
    for (const issuer of this.#policies.flatMap(({ issuers }) => issuers)) {
      fillAcmeDefaults(issuer, options);
    }
    const policies = consolidatePolicies(this.#policies);
    refuseDoubleNames(policies);
    const automation = onlyGiven({
      policies: policies.map(policyToJson),
      on_demand: options.onDemand,
      ocsp_interval: options.ocspInterval,
      renew_interval: options.renewInterval,
      storage_clean_interval: options.storageCleanInterval || undefined,
    });
    return onlyGiven({
      certificates: isEmptyDraft(this.#certificates) ? undefined : this.#certificates,
      automation: isEmptyDraft(automation) ? undefined : automation,
      disable_ocsp_stapling: options.ocspStaplingOff,
      disable_storage_check: options.storageCheckOff,
      disable_storage_clean: options.storageCleanInterval === false,
      encrypted_client_hello: options.encryptedClientHello,
      dns: options.dns,
      resolvers: options.tlsResolvers,
    });
  }

  /** The public names of Encrypted Client Hello need certificates too. */
  #addPublicNames(): void {
    const configs = (this.#options.encryptedClientHello?.configs ?? []) as Draft[];
    const covers = (name: string) =>
      this.#policies.some(({ subjects }) => subjects.some((pattern) => matchesWildcard(name, pattern)));
    const names = configs
      .map(({ public_name: name }) => (typeof name === "string" ? name : ""))
      .filter((name) => name !== "" && !covers(name.trim().toLowerCase()));
    if (names.length > 0) {
      this.#policies.push({ ...(basePolicy(this.#options) ?? emptyPolicy()), subjects: names });
    }
  }

  /** Adds names that need certificates although no route contains them, and policies for names without a site. */
  #automate(besideAnyHost: ReadonlySet<string>): void {
    const { autoHttps = [], automateNames = [] } = this.#options;
    const internal = { ...emptyPolicy(), issuers: [{ module: "internal" }], isImplicitlyInternal: true };
    const names = new Set<string>();
    if (!autoHttps.includes("off") && !autoHttps.includes("disable_certs")) {
      for (const host of besideAnyHost) {
        names.add(host);
        if (!qualifiesForPublicCertificate(host)) {
          internal.subjects.push(host);
        }
      }
    }
    for (const name of this.#forced) {
      names.add(name);
    }
    const publicNames: string[] = [];
    for (const name of automateNames) {
      const isKnown = names.has(name);
      names.add(name);
      if (isKnown || this.#policies.some(({ subjects }) => subjects.includes(name))) {
        continue;
      }
      (qualifiesForPublicCertificate(name) ? publicNames : internal.subjects).push(name);
    }
    if (publicNames.length > 0) {
      const always = this.#options.email !== undefined || hasGlobalAcmeOptions(this.#options);
      const policy = basePolicy(this.#options) ?? (always ? emptyPolicy() : undefined);
      if (policy !== undefined) {
        this.#policies.push({ ...policy, subjects: publicNames });
      }
    }
    if (names.size > 0) {
      this.#certificates.automate = [...names].sort();
    }
    if (internal.subjects.length > 0) {
      this.#policies.push(internal);
    }
  }
}

/** @throws ServerError CONFIG_ADAPTER for a name in two policies, because the effect would depend on their order */
function refuseDoubleNames(policies: readonly AutomationPolicy[]): void {
  const seen = new Set<string>();
  for (const name of policies.flatMap(({ subjects }) => subjects)) {
    if (seen.has(name)) {
      throw new ServerError(
        "CONFIG_ADAPTER",
        `hostname appears in more than one automation policy, making certificate management ambiguous: ${name}`,
      );
    }
    seen.add(name);
  }
}

/** Builds the app `tls`; empty without certificate settings. @throws ServerError CONFIG_ADAPTER */
export function buildTlsApp(groups: readonly ServerSites[], options: GlobalOptions): Draft {
  const app = new TlsApp(options);
  for (const { listeners, sites } of groups) {
    const addresses = listeners.map(({ address }) => address);
    if (!usePortOtherThan(addresses, httpPortOf(options))) {
      continue;
    }
    for (const served of sites) {
      if (served.addresses.some(({ scheme }) => scheme !== "http")) {
        app.addSite(served);
      }
    }
  }
  const isOff = options.autoHttps?.includes("off") === true;
  return app.finish(isOff ? new Set() : hostsBesideAnyHost(groups, options));
}
