import type { JsonObject } from "server-core/json/json-value";
import { authorityFields, keyPairFields } from "../../modules/tls/authority-fields.ts";
import { inexpressible } from "../inexpressible.ts";
import { objectsOf, textsOf } from "../json-lists.ts";
import {
  block,
  duration,
  type Fields,
  field,
  fieldLines,
  fixed,
  flag,
  integer,
  part,
  text,
  textEach,
  texts,
  type WordsOf,
} from "../lines/field-lines.ts";
import { given, type Line, line, lineWith } from "../lines/line.ts";
import { Members } from "../members.ts";
import { dnsProviderLine } from "../modules/dns-providers.ts";
import { preferredChainsLine } from "../modules/issuers.ts";
import { logLines } from "../modules/log-lines.ts";
import { isAccessLog, isDebug } from "../sites/access-logs.ts";
import { type CertificateLines, keyFields } from "../sites/certificates.ts";
import { isInternal, issuerLines, type Policy, policiesPath } from "../sites/policies.ts";
import type { ServerDraft } from "../sites/site-draft.ts";

/** Words after `mcp`. @throws ServerError CONFIG_INEXPRESSIBLE for `false`, which needs no line */
const mcpWords: WordsOf = (admin, key) => {
  const mcp = admin.child(key);
  if (mcp?.boolean("enabled") !== true) {
    throw inexpressible(admin.pathOf(key), "it is off without a line");
  }
  return mcp.boolean("allow_changes") === true ? ["allow_changes"] : [];
};

const adminFields = {
  enforce_origin: flag("enforce_origin"),
  origins: texts("origins"),
  mcp: field("mcp", mcpWords),
};

/** `admin` and `persist_config`. */
export function adminLines(admin: Members): Line[] {
  const persists = admin.child("config")?.boolean("persist");
  const isOff = admin.boolean("disabled") === true;
  const words = isOff ? ["off"] : given(admin.text("listen"));
  const block = isOff ? [] : fieldLines(admin, adminFields);
  admin.done("the option admin");
  return [
    ...(words.length + block.length === 0 ? [] : [lineWith(["admin", ...words], block)]),
    ...(persists === false ? [line("persist_config", "off")] : []),
  ];
}

/** Writes the options `debug` and `log`, except the logs of sites. */
export function logOptionLines(logs: JsonObject): Line[] {
  const debug = isDebug(logs);
  const entries = Object.entries(logs);
  const included = entries.flatMap(([name, log]) => (name === "default" ? [] : textsOf(log, "include")));
  const loggers = {
    include: texts("include"),
    exclude: field("exclude", (log, key) => {
      const rest = (log.texts(key) ?? []).filter((each) => !included.includes(each));
      return rest.length === 0 ? undefined : rest;
    }),
  };
  const lines = entries.flatMap(([name, log]): Line[] => {
    if (isAccessLog(name, log)) {
      return [];
    }
    const members = new Members(log, `/config/logging/logs/${name}`);
    const isDefault = name === "default";
    const own = isDefault ? loggers : { ...loggers, exclude: texts("exclude") };
    const block = [...logLines(members, debug), ...fieldLines(members, own)];
    members.done("the option log");
    return block.length === 0 ? [] : [{ words: isDefault ? ["log"] : ["log", name], block }];
  });
  return debug ? [line("debug"), ...lines] : lines;
}

const authorityParts: Fields = {
  ...authorityFields,
  root: block("root", keyPairFields),
  intermediate: block("intermediate", keyPairFields),
};

/** Writes `skip_install_trust` and `pki`. @param mentioned returns true when a directive creates the CA with this id */
export function authorityLines(pki: Members, mentioned: (id: string) => boolean): Line[] {
  const authorities = pki.child("certificate_authorities")?.childEntries() ?? [];
  const skips =
    authorities.length > 0 && authorities.every(([, authority]) => authority.look("install_trust") === false);
  const lines = authorities.flatMap(([id, authority]) => {
    if (skips) {
      authority.take("install_trust");
    }
    const inner = fieldLines(authority, authorityParts);
    const isMade = mentioned(id) || (skips && id === "local" && authorities.length === 1);
    return inner.length === 0 && isMade ? [] : [lineWith(["ca", ...(id === "local" ? [] : [id])], inner)];
  });
  pki.done("the option pki");
  return [
    ...(skips ? [line("skip_install_trust")] : []),
    ...(lines.length === 0 ? [] : [lineWith(["pki"], lines)]),
  ];
}

/** Words of `auto_https`, by member of `automatic_https`. */
const modes: Readonly<Record<string, string>> = {
  disable: "off",
  disable_redirects: "disable_redirects",
  disable_certificates: "disable_certs",
  ignore_loaded_certificates: "ignore_loaded_certs",
};

/** Writes `auto_https`, which applies to all servers. */
export function autoHttpsLines(servers: readonly ServerDraft[]): Line[] {
  const automatic = servers[0]?.members.objectAt("automatic_https") ?? {};
  const words = Object.keys(modes).flatMap((key) => (automatic[key] === true ? given(modes[key]) : []));
  return words.length === 0 ? [] : [line("auto_https", ...words)];
}

/** Global options for the app `http`, such as `http_port`. */
export const httpAppFields: Fields = {
  http_port: integer("http_port"),
  https_port: integer("https_port"),
  grace_period: duration("grace_period"),
  shutdown_delay: duration("shutdown_delay"),
  metrics: block("metrics", {
    per_host: flag("per_host"),
    observe_catchall_hosts: flag("observe_catchall_hosts"),
    otlp: flag("otlp"),
  }),
};

/** Writes `default_sni` and `fallback_sni`, the server names for clients without a matching SNI. */
export function sniLines(servers: readonly ServerDraft[]): Line[] {
  const policies = servers.flatMap(({ members }) => objectsOf(members.look("tls_connection_policies")));
  return ["default_sni", "fallback_sni"].flatMap((key) => {
    const names = policies.flatMap((policy) => textsOf([policy[key] ?? null]));
    return names.slice(0, 1).map((name) => line(key, name));
  });
}

const issuerOptions: Fields = {
  email: text("email"),
  acme_ca: text("ca"),
  cert_lifetime: duration("certificate_lifetime"),
  acme_ca_root: textEach("trusted_roots_pem_files"),
  acme_eab: block("external_account", { key_id: text("key_id"), mac_key: text("mac_key") }),
  preferred_chains: part("preferred_chains", preferredChainsLine),
};

/** The settings of a single ACME issuer as global options; undefined when global options cannot express them. */
function acmeOptionLines({ issuers: [only, more] }: Policy, email: string | undefined): Line[] | undefined {
  if (only?.module !== "acme" || more || textsOf(only, "trusted_roots_pem_files").length > 1) {
    return undefined;
  }
  const members = new Members(only, policiesPath);
  members.take("module");
  const lines = fieldLines(members, issuerOptions).filter(
    ({ words }) => words[0] !== "email" || email === undefined,
  );
  return members.keys.length === 0 && lines.length > 0 ? lines : undefined;
}

/** `on_demand_tls { ask url }`, or `permission` with another module. */
function onDemandLine(permission: Members, name: string): Line {
  const [module, endpoint] = [permission.text("module") ?? "", permission.text("endpoint") ?? ""];
  const inner = module === "http" ? line("ask", endpoint) : line("permission", module, endpoint);
  return lineWith([name], [inner]);
}

const tlsFields: Fields = {
  on_demand_tls: part("automation.on_demand.permission", onDemandLine),
  ocsp_interval: duration("automation.ocsp_interval"),
  renew_interval: duration("automation.renew_interval"),
  storage_clean_interval: duration("automation.storage_clean_interval"),
  storage_check: fixed("disable_storage_check", "off", true),
  dns: part("dns", dnsProviderLine),
  tls_resolvers: texts("resolvers"),
  ech: field("encrypted_client_hello.configs", (hello, key) =>
    (hello.children(key) ?? []).map((config) => config.text("public_name") ?? ""),
  ),
};

export function certificateOptionLines(tls: Members, certificates: CertificateLines): Line[] {
  const email = certificates.globalEmail;
  const hasNoStapling =
    tls.boolean("disable_ocsp_stapling") === true ||
    JSON.stringify(tls.look("automation") ?? null).includes('"disable_ocsp_stapling":true');
  const names = certificates.automateNames.filter((name) => !certificates.automated.has(name));
  return [
    ...given(email).map((each) => line("email", each)),
    ...given(certificates.globalPolicy).flatMap((policy) => policyLines(policy, certificates)),
    ...(hasNoStapling ? [line("ocsp_stapling", "off")] : []),
    ...fieldLines(tls, tlsFields),
    ...fieldLines(tls, { storage_clean_interval: fixed("disable_storage_clean", "off", true) }),
    ...(names.length === 0 ? [] : [line("tls_automate_names", ...names)]),
  ];
}

/** Writes the policy for all names as global options: first its issuers, then its keys. */
function policyLines(policy: Policy, { hasAcmeOptions, globalEmail: email }: CertificateLines): Line[] {
  const options = isInternal(policy) ? [line("local_certs")] : acmeOptionLines(policy, email);
  const issuers = email === undefined ? issuerLines(policy, "cert_issuer") : [];
  return [
    ...((hasAcmeOptions ? options : undefined) ?? issuers),
    ...fieldLines(new Members(policy.settings, policiesPath), keyFields),
  ];
}
