import { isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";
import type { ConfigDraft } from "../config-draft.ts";
import { objectsOf } from "../json-lists.ts";
import { type Line, line, linesOf, lineWith, textOf } from "../lines/line.ts";
import { Members } from "../members.ts";
import { issuerLine, preferredChainsLine } from "../modules/issuers.ts";
import type { UsualPorts } from "../sites/addresses.ts";
import { ownSettings } from "../sites/issuer-settings.ts";
import { withSites } from "./change-sites.ts";

const issuerOptions = new Set([
  "acme_ca",
  "acme_ca_root",
  "acme_eab",
  "cert_issuer",
  "cert_lifetime",
  "email",
  "local_certs",
  "preferred_chains",
]);

function nameOf({ words: [name = ""] }: Line): string {
  return textOf(name);
}

/** A site's lines without those that say who issues its certificates. */
function withoutIssuers(head: readonly Line[]): Line[] {
  return head.flatMap((each) => {
    if (nameOf(each) !== "tls") {
      return [each];
    }
    const [name = "tls", first, ...more] = each.words;
    const saysIssuer = more.length === 0 && first !== undefined && /^internal$|@/.test(textOf(first));
    const inner = each.block === undefined ? [] : linesOf(each.block);
    const kept = inner.filter((other) => nameOf(other) !== "issuer");
    const words = saysIssuer ? [name] : each.words;
    return kept.length === 0 && words.length === 1 ? [] : [lineWith(words, kept)];
  });
}

/** Options that can express an ACME issuer, one line each. */
function acmeOptions(issuer: JsonObject): Line[] {
  const { email, ca, external_account: account, trusted_roots_pem_files: roots, preferred_chains } = issuer;
  const lines: Line[] = [];
  if (typeof email === "string") {
    lines.push(line("email", email));
  }
  if (typeof ca === "string") {
    lines.push(line("acme_ca", ca));
  }
  if (Array.isArray(roots) && typeof roots[0] === "string") {
    lines.push(line("acme_ca_root", roots[0]));
  }
  if (isJsonObject(account)) {
    const fields = (["key_id", "mac_key"] as const).map((key) => line(key, String(account[key] ?? "")));
    lines.push({ words: ["acme_eab"], block: fields });
  }
  if (isJsonObject(preferred_chains)) {
    lines.push(preferredChainsLine(new Members(preferred_chains, "")));
  }
  return lines;
}

/** Every choice of some of the lines, those with most first. */
function subsets(lines: readonly Line[]): Line[][] {
  const all = Array.from({ length: 2 ** lines.length }, (_value, bits) =>
    lines.filter((_line, index) => (bits & (2 ** index)) !== 0),
  );
  return all.sort((a, b) => b.length - a.length);
}

/** The ways in which the options could say who issues certificates. */
export function waysToSayIssuers(policies: readonly JsonObject[], ports: UsualPorts): Line[][] {
  const ways: Line[][] = [[]];
  for (const { issuers: given } of policies) {
    const issuers = objectsOf(given);
    const own = issuers.map((issuer) => ownSettings(issuer, ports));
    for (const issuer of own.filter(({ module }) => module === "acme")) {
      ways.push(...subsets(acmeOptions(issuer)));
    }
    try {
      ways.push(own.map((issuer) => issuerLine(new Members(issuer, ""), "cert_issuer")));
    } catch {
      // an issuer that no line says
    }
  }
  return [...new Map(ways.map((way) => [JSON.stringify(way), way])).values()];
}

/** Drafts whose options say in another way who issues certificates; sites say it as they do, or not. */
export function* issuersElsewhere(
  draft: ConfigDraft,
  config: JsonValue,
  ports: UsualPorts,
): Generator<ConfigDraft> {
  const tls = isJsonObject(config) && isJsonObject(config.apps) ? config.apps.tls : undefined;
  const automation = isJsonObject(tls) ? tls.automation : undefined;
  const policies = isJsonObject(automation) ? objectsOf(automation.policies) : [];
  const others = draft.options.filter((each) => !issuerOptions.has(nameOf(each)));
  const silent = withSites(
    draft,
    draft.sites.map((site) => ({ ...site, head: withoutIssuers(site.head) })),
  );
  for (const way of waysToSayIssuers(policies, ports)) {
    for (const { sites } of [silent, draft]) {
      yield { ...draft, options: [...others, ...way], sites };
    }
  }
}
