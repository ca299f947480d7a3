import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import { objectsOf, textsOf } from "../json-lists.ts";
import { type Line, line } from "../lines/line.ts";
import { Members } from "../members.ts";
import { issuerLine } from "../modules/issuers.ts";
import type { UsualPorts } from "../sites/addresses.ts";
import { ownSettings } from "../sites/issuer-settings.ts";

/** Lines that could have produced a config's certificates, by sites and by options. */
export interface SayableLines {
  /** Lines `tls`. */
  readonly lines: readonly Line[];
  /** Lines in the block of one. */
  readonly inner: readonly Line[];
  readonly options: readonly Line[];
  /** Names that certificates are for. */
  readonly hosts: readonly string[];
  /** Names of logs. */
  readonly logs: readonly string[];
}

function child(value: JsonValue | undefined, ...keys: readonly string[]): JsonObject {
  let found = value;
  for (const key of keys) {
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return isJsonObject(found) ? found : {};
}

function issuerLines(issuers: readonly JsonObject[], word: string): Line[] | undefined {
  try {
    return issuers.map((issuer) => issuerLine(new Members(issuer, ""), word));
  } catch {
    return undefined; // one that no line says
  }
}

/** Collects what a config's certificates and logs could have been said with. */
export function sayableLines(config: JsonValue, ports: UsualPorts): SayableLines {
  const tls = child(config, "apps", "tls");
  const policies = objectsOf(child(tls, "automation").policies);
  const lines: Line[] = [
    line("tls", "internal"),
    line("tls", "force_automate"),
    { words: ["tls"], block: [] },
  ];
  const inner: Line[] = [line("on_demand"), line("reuse_private_keys"), line("ca", "x")];
  const options: Line[] = [line("local_certs"), line("skip_install_trust"), line("default_bind")];
  const hosts = new Set<string>();
  for (const policy of policies) {
    for (const subject of textsOf(policy.subjects)) {
      hosts.add(subject);
    }
    const issuers = objectsOf(policy.issuers);
    const own = issuers.map((issuer) => ownSettings(issuer, ports));
    for (const each of [issuers, own]) {
      inner.push(...(issuerLines(each, "issuer") ?? []));
      options.push(...(issuerLines(each, "cert_issuer") ?? []));
    }
    for (const { email, ca, challenges } of issuers) {
      if (typeof email === "string") {
        lines.push(line("tls", email));
        options.push(line("email", email));
      }
      if (typeof ca === "string") {
        inner.push(line("ca", ca));
        options.push(line("acme_ca", ca));
      }
      const host = isJsonObject(challenges) ? challenges.bind_host : undefined;
      if (typeof host === "string") {
        options.push(line("default_bind", host));
      }
    }
    for (const { via, url } of objectsOf(policy.get_certificate)) {
      inner.push(line("get_certificate", ...[via, url].filter((each) => typeof each === "string")));
    }
    if (typeof policy.key_type === "string") {
      inner.push(line("key_type", policy.key_type));
      options.push(line("key_type", policy.key_type));
    }
    if (typeof policy.renewal_window_ratio === "number") {
      inner.push(line("renewal_window_ratio", `${policy.renewal_window_ratio}`));
      options.push(line("renewal_window_ratio", `${policy.renewal_window_ratio}`));
    }
  }
  const automated = textsOf(child(tls, "certificates").automate);
  if (automated.length > 0) {
    options.push(
      line("tls_automate_names", ...automated),
      ...automated.map((name) => line("tls_automate_names", name)),
    );
  }
  const logs = Object.keys(child(config, "logging", "logs")).filter((name) => name !== "default");
  return { lines, inner: distinct(inner), options: distinct(options), hosts: [...hosts], logs };
}

function distinct(lines: readonly Line[]): Line[] {
  return [...new Map(lines.map((each) => [JSON.stringify(each), each])).values()];
}
