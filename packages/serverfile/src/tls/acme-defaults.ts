import { ServerError } from "server-core/errors";
import type { GlobalOptions } from "../sites/global-options.ts";
import { childOf, type Draft, type Given, listOf } from "../values/draft.ts";

/** ACME directory URL of the second default CA. */
const zerosslDirectory = "https://acme.zerossl.com/v2/DV90";

function isDraft(value: Given): value is Draft {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when a module of `tls.issuance` uses ACME. */
export function isAcme(issuer: Draft): boolean {
  return issuer.module === "acme";
}

/**
 * The default issuers: one issuer, or with an email address also a second issuer, which is used when the first fails.
 */
export function defaultIssuers(email: string): Draft[] {
  const first: Draft = { module: "acme" };
  return email.trim() === "" ? [first] : [first, { module: "acme", ca: zerosslDirectory, email }];
}

/**
 * Merges two issuers: members of `over` replace equal members of `base`, but lists of roots are joined without
 * duplicates. Neither argument is changed.
 */
function mergeIssuers(base: Draft, over: Draft): Draft {
  const merged = structuredClone(base);
  for (const [key, value] of Object.entries(structuredClone(over))) {
    const present = merged[key];
    if (key === "trusted_roots_pem_files" && Array.isArray(value)) {
      merged[key] = [...new Set([...(Array.isArray(present) ? present : []), ...value])];
    } else if (
      isDraft(present) &&
      isDraft(value) &&
      ["challenges", "http", "tls-alpn", "dns"].includes(key)
    ) {
      merged[key] = mergeIssuers(present, value);
    } else {
      merged[key] = value;
    }
  }
  return merged;
}

/**
 * The issuers of a site with short ACME lines: the global issuers or default issuers, with the values of these lines.
 */
export function implicitAcmeIssuers(acme: Draft, options: GlobalOptions): Draft[] {
  const global = (options.certIssuers ?? []).filter(isAcme);
  if (global.length > 0) {
    return global.map((issuer) => mergeIssuers(issuer, acme));
  }
  const email = typeof acme.email === "string" ? acme.email : "";
  const defaults = acme.ca === undefined ? defaultIssuers(email) : [{ module: "acme" }];
  return defaults.map((issuer) => mergeIssuers(issuer, acme));
}

/** True when a global option changes the default issuers. */
export function hasGlobalAcmeOptions(options: GlobalOptions): boolean {
  return (
    options.acmeCa !== undefined ||
    options.acmeCaRoot !== undefined ||
    options.acmeDns !== undefined ||
    options.acmeEab !== undefined ||
    options.preferredChains !== undefined
  );
}

/** Sets a member that is absent. */
function setDefault(draft: Draft, key: string, value: Given): void {
  if (value !== undefined && draft[key] === undefined) {
    draft[key] = value;
  }
}

/** Sets the ports of `http_port` and `https_port` for challenges; a DNS challenge needs no port. */
function fillPorts(issuer: Draft, options: GlobalOptions): void {
  const ports = [
    ["http", options.httpPort],
    ["tls-alpn", options.httpsPort],
  ] as const;
  for (const [kind, port] of ports) {
    const challenges = isDraft(issuer.challenges) ? issuer.challenges : undefined;
    if (port !== undefined && challenges?.dns === undefined) {
      const challenge = childOf(childOf(issuer, "challenges"), kind);
      if (port !== 0) {
        setDefault(challenge, "alternate_port", port);
      }
    }
  }
}

/** Sets the address of `default_bind` for challenges; a DNS challenge needs no address. */
function fillBindHost(issuer: Draft, options: GlobalOptions): void {
  const challenges = isDraft(issuer.challenges) ? issuer.challenges : undefined;
  const [bind] = options.defaultBind ?? [];
  const [address] = bind?.addresses ?? [];
  if (
    address !== undefined &&
    (challenges === undefined || (challenges.dns === undefined && challenges.bind_host === undefined))
  ) {
    const made = childOf(issuer, "challenges");
    if (address !== "") {
      made.bind_host = address;
    }
  }
}

/** Sets the DNS challenge of `acme_dns`. @throws ServerError CONFIG_ADAPTER without a provider */
function fillDns(issuer: Draft, options: GlobalOptions): void {
  if (options.acmeDns === undefined) {
    return;
  }
  if (options.dns === undefined && options.acmeDns === null) {
    throw new ServerError(
      "CONFIG_ADAPTER",
      "acme_dns specified without DNS provider config, but no provider specified with 'dns' global option",
    );
  }
  const dns = childOf(childOf(issuer, "challenges"), "dns");
  if (options.acmeDns !== null) {
    setDefault(dns, "provider", options.acmeDns);
  }
}

/** Fills unset fields of an ACME issuer from the global options. Other issuers stay unchanged. */
export function fillAcmeDefaults(issuer: Draft, options: GlobalOptions): void {
  if (!isAcme(issuer)) {
    return;
  }
  setDefault(issuer, "email", options.email || undefined);
  setDefault(issuer, "ca", options.acmeCa || undefined);
  if (options.acmeCaRoot !== undefined) {
    const roots = listOf(issuer, "trusted_roots_pem_files");
    if (!roots.includes(options.acmeCaRoot)) {
      roots.push(options.acmeCaRoot);
    }
  }
  fillDns(issuer, options);
  setDefault(issuer, "external_account", options.acmeEab);
  setDefault(issuer, "preferred_chains", options.preferredChains);
  fillPorts(issuer, options);
  fillBindHost(issuer, options);
  setDefault(issuer, "certificate_lifetime", options.certLifetime || undefined);
  const challenges = isDraft(issuer.challenges) ? issuer.challenges : undefined;
  const dns = isDraft(challenges?.dns) ? challenges.dns : undefined;
  if (dns !== undefined && (options.acmeDns !== undefined || dns.provider !== undefined)) {
    setDefault(dns, "resolvers", options.tlsResolvers);
  }
}
