import { isDeepStrictEqual } from "node:util";
import { isJsonArray, isJsonObject, type JsonObject } from "server-core/json/json-value";
import { authorityFields, keyPairFields } from "../../modules/tls/authority-fields.ts";
import { wordsOf } from "../../values/block-fields.ts";
import type { Choices } from "../choices.ts";
import { inexpressible } from "../inexpressible.ts";
import { objectsOf } from "../json-lists.ts";
import {
  duration,
  field,
  fieldLines,
  flag,
  integer,
  text,
  texts,
  type WordsOf,
} from "../lines/field-lines.ts";
import { type Line, line, lineWith, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";
import { dnsProviderLine } from "../modules/dns-providers.ts";
import { issuerLine, preferredChainsLine } from "../modules/issuers.ts";
import { logLines } from "../modules/log-lines.ts";
import { storageWords } from "../modules/storage.ts";
import { isAccessLog } from "../sites/access-logs.ts";
import type { UsualPorts } from "../sites/addresses.ts";
import type { CertificateLines } from "../sites/certificates.ts";
import { ownSettings, zerosslDirectory } from "../sites/issuer-settings.ts";
import type { ServerDraft } from "../sites/site-draft.ts";

/** `modules`. */
export function moduleLines(config: Members): Line[] {
  const names = config.texts("modules") ?? [];
  return names.length === 0 ? [] : [line("modules", ...names)];
}

/** Words behind `mcp`; undefined where it is off, which needs no line. */
const mcpWords: WordsOf = (admin, key) => {
  const mcp = admin.child(key);
  const isOn = mcp?.boolean("enabled") === true;
  const mayChange = mcp?.boolean("allow_changes") === true;
  mcp?.done("the option admin");
  if (!isOn) {
    throw inexpressible(admin.pathOf(key), "it is off without a line");
  }
  return mayChange ? ["allow_changes"] : [];
};

/** `admin` and `persist_config`. */
export function adminLines(admin: Members | undefined): Line[] {
  if (admin === undefined) {
    return [];
  }
  const lines: Line[] = [];
  const config = admin.child("config");
  const persists = config?.boolean("persist");
  if (admin.boolean("disabled") === true) {
    lines.push(line("admin", "off"));
  } else {
    const listen = admin.text("listen");
    const block = fieldLines(admin, {
      ...{ enforce_origin: flag("enforce_origin"), origins: texts("origins") },
      mcp: field("mcp", mcpWords),
    });
    if (listen !== undefined || block.length > 0) {
      lines.push(lineWith(["admin", ...(listen === undefined ? [] : [listen])], block));
    }
  }
  if (persists === false) {
    lines.push(line("persist_config", "off"));
  }
  admin.done("the option admin");
  return lines;
}

/** True when the text needs the option `debug`: every log has a level, and the default log has DEBUG. */
export function isDebug(logs: JsonObject): boolean {
  const all = Object.values(logs);
  const levels = all.map((log) => (isJsonObject(log) ? log.level : undefined));
  const byDefault = isJsonObject(logs.default) ? logs.default.level : undefined;
  return byDefault === "DEBUG" && levels.every((level) => level !== undefined);
}

/** The options `debug` and `log`, without the logs of sites. */
export function logOptionLines(logs: JsonObject): Line[] {
  const debug = isDebug(logs);
  const lines: Line[] = debug ? [line("debug")] : [];
  const included = Object.entries(logs).flatMap(([name, log]) =>
    name !== "default" && isJsonObject(log) && isJsonArray(log.include) ? log.include : [],
  );
  for (const [name, log] of Object.entries(logs)) {
    if (isAccessLog(name, log)) {
      continue;
    }
    const members = new Members(log, `/config/logging/logs/${name}`);
    const block = logLines(members, debug);
    const include = members.texts("include");
    const exclude = (members.texts("exclude") ?? []).filter(
      (each) => name !== "default" || !included.includes(each),
    );
    if (include !== undefined) {
      block.push(line("include", ...include));
    }
    if (exclude.length > 0) {
      block.push(line("exclude", ...exclude));
    }
    members.done("the option log");
    if (block.length > 0) {
      lines.push({ words: name === "default" ? ["log"] : ["log", name], block });
    }
  }
  return lines;
}

/** `skip_install_trust` and `pki`. @param mentioned whether a directive makes an authority */
export function authorityLines(pki: Members | undefined, mentioned: (id: string) => boolean): Line[] {
  const authorities = pki?.child("certificate_authorities")?.childEntries() ?? [];
  pki?.done("the option pki");
  if (authorities.length === 0) {
    return [];
  }
  const skips = authorities.every(([, authority]) => authority.look("install_trust") === false);
  const lines = skips ? [line("skip_install_trust")] : [];
  const block: Line[] = [];
  for (const [id, authority] of authorities) {
    if (skips) {
      authority.take("install_trust");
    }
    const inner = fieldLines(authority, authorityFields);
    for (const which of ["root", "intermediate"]) {
      const pair = authority.child(which);
      if (pair !== undefined) {
        inner.push({ words: [which], block: fieldLines(pair, keyPairFields) });
      }
    }
    authority.done("the option pki");
    if (inner.length > 0 || !(mentioned(id) || (skips && id === "local" && authorities.length === 1))) {
      block.push(lineWith(["ca", ...(id === "local" ? [] : [id])], inner));
    }
  }
  return block.length === 0 ? lines : [...lines, { words: ["pki"], block }];
}

/** Words of `auto_https` by the member of `automatic_https`. */
const modes: Readonly<Record<string, string>> = {
  disable: "off",
  disable_redirects: "disable_redirects",
  disable_certificates: "disable_certs",
  ignore_loaded_certificates: "ignore_loaded_certs",
};

/** `auto_https`, which is for all servers. */
export function autoHttpsLines(servers: readonly ServerDraft[]): Line[] {
  const [first] = servers;
  const automatic = first?.members.look("automatic_https");
  const words = isJsonObject(automatic)
    ? Object.entries(modes).flatMap(([key, word]) => (automatic[key] === true ? [word] : []))
    : [];
  return words.length === 0 ? [] : [line("auto_https", ...words)];
}

/** `http_port` and others of the app. */
export function httpAppLines(http: Members | undefined): Line[] {
  if (http === undefined) {
    return [];
  }
  const lines = fieldLines(http, {
    http_port: integer("http_port"),
    https_port: integer("https_port"),
    grace_period: duration("grace_period"),
    shutdown_delay: duration("shutdown_delay"),
  });
  const metrics = http.child("metrics");
  if (metrics !== undefined) {
    const fields = {
      per_host: flag("per_host"),
      observe_catchall_hosts: flag("observe_catchall_hosts"),
      otlp: flag("otlp"),
    };
    lines.push(lineWith(["metrics"], fieldLines(metrics, fields)));
  }
  return lines;
}

/** Names that connections without one are answered with: `default_sni`, `fallback_sni`. */
export function sniLines(servers: readonly ServerDraft[]): Line[] {
  const policies = servers.flatMap(({ members }) => objectsOf(members.look("tls_connection_policies")));
  return ["default_sni", "fallback_sni"].flatMap((key) => {
    const found = policies.map((policy) => policy[key]).find((value) => typeof value === "string");
    return typeof found === "string" ? [line(key, found)] : [];
  });
}

/** Whether an issuer is the second of the two that there are by default: the first with another authority. */
function isSecondDefault(second: JsonObject | undefined, first: JsonObject): boolean {
  const { ca, ...settings } = second ?? {};
  return (
    ca === zerosslDirectory &&
    typeof first.email === "string" &&
    isDeepStrictEqual({ ...settings }, { ...first })
  );
}

/** The options of one ACME issuer, or of the two default ones, as options of all; undefined when it has more than they say. */
function acmeOptionLines(
  issuers: readonly JsonObject[],
  ports: UsualPorts,
  email: string | undefined,
): Line[] | undefined {
  const [only, ...more] = issuers.map((issuer) => ownSettings(issuer, ports));
  const isDefaultPair = more.length === 1 && only !== undefined && isSecondDefault(more[0], only);
  if (only === undefined || (more.length > 0 && !isDefaultPair) || only.module !== "acme") {
    return undefined;
  }
  const members = new Members(only, "/config/apps/tls/automation/policies");
  members.take("module");
  const lines = fieldLines(members, {
    email: text("email"),
    acme_ca: text("ca"),
    cert_lifetime: duration("certificate_lifetime"),
  }).filter(({ words }) => words[0] !== "email" || email === undefined);
  const roots = members.texts("trusted_roots_pem_files") ?? [];
  if (roots.length > 1) {
    return undefined;
  }
  lines.push(...roots.map((root) => line("acme_ca_root", root)));
  const account = members.child("external_account");
  if (account !== undefined) {
    lines.push({
      words: ["acme_eab"],
      block: fieldLines(account, { key_id: text("key_id"), mac_key: text("mac_key") }),
    });
  }
  const chains = members.child("preferred_chains");
  if (chains !== undefined) {
    lines.push(preferredChainsLine(chains));
  }
  return members.keys.length === 0 && lines.length > 0 ? lines : undefined;
}

/** The options about certificates. */
export function certificateOptionLines(
  tls: Members | undefined,
  certificates: CertificateLines,
  ports: UsualPorts,
  choices: Choices,
): Line[] {
  if (tls === undefined) {
    return [];
  }
  const lines: Line[] = [];
  const email = certificates.globalEmail;
  if (email !== undefined) {
    lines.push(line("email", email));
  }
  const automation = tls.child("automation");
  automation?.take("policies");
  const policy = choices.globalCertificates ? certificates.catchAll : undefined;
  lines.push(...(policy === undefined ? [] : policyLines(policy, ports, choices, email)));
  const all = JSON.stringify(tls.look("automation") ?? null);
  if (tls.boolean("disable_ocsp_stapling") === true || all.includes('"disable_ocsp_stapling":true')) {
    lines.push(line("ocsp_stapling", "off"));
  }
  const onDemand = automation?.child("on_demand")?.child("permission");
  if (onDemand !== undefined) {
    const words: Word[] = ["permission", onDemand.text("module") ?? "", onDemand.text("endpoint") ?? ""];
    lines.push({
      words: ["on_demand_tls"],
      block: [words[1] === "http" ? line("ask", words[2] ?? "") : line(...words)],
    });
  }
  if (automation !== undefined) {
    lines.push(
      ...fieldLines(automation, {
        ocsp_interval: duration("ocsp_interval"),
        renew_interval: duration("renew_interval"),
        storage_clean_interval: duration("storage_clean_interval"),
      }),
    );
  }
  if (tls.boolean("disable_storage_check") === true) {
    lines.push(line("storage_check", "off"));
  }
  if (tls.boolean("disable_storage_clean") === true) {
    lines.push(line("storage_clean_interval", "off"));
  }
  const provider = tls.child("dns");
  if (provider !== undefined) {
    lines.push(dnsProviderLine(provider, "dns"));
  }
  lines.push(...fieldLines(tls, { tls_resolvers: texts("resolvers") }));
  const configs = tls.child("encrypted_client_hello")?.children("configs");
  if (configs !== undefined) {
    lines.push(line("ech", ...configs.map((config) => config.text("public_name") ?? "")));
  }
  const names = certificates.automateNames.filter((name) => !certificates.automated.has(name));
  if (names.length > 0) {
    lines.push(line("tls_automate_names", ...names));
  }
  return lines;
}

/** Options of the policy for all names: issuers as options or as `cert_issuer`, then keys. */
function policyLines(
  policy: JsonObject,
  ports: UsualPorts,
  choices: Choices,
  email: string | undefined,
): Line[] {
  const members = new Members(policy, "/config/apps/tls/automation/policies");
  const issuers = objectsOf(policy.issuers);
  const lines: Line[] = [];
  const options = choices.acmeOptions ? acmeOptionLines(issuers, ports, email) : undefined;
  if (options !== undefined) {
    lines.push(...options);
  } else if (JSON.stringify(issuers) === '[{"module":"internal"}]' && choices.acmeOptions) {
    lines.push(line("local_certs"));
  } else if (email === undefined) {
    for (const issuer of issuers) {
      const part = new Members(ownSettings(issuer, ports), members.pathOf("issuers"));
      lines.push(issuerLine(part, "cert_issuer"));
      part.done("an issuer");
    }
  }
  return [
    ...lines,
    ...fieldLines(members, {
      key_type: text("key_type"),
      renewal_window_ratio: field("renewal_window_ratio", wordsOf.number),
    }),
  ];
}

/** `storage`. */
export function storageLines(storage: Members | undefined): Line[] {
  return storage === undefined ? [] : [line("storage", ...storageWords(storage))];
}
