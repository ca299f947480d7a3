import { isJsonObject, type JsonObject } from "server-core/json/json-value";
import type { ConfigDraft, DraftedSite } from "../config-draft.ts";
import { objectsOf } from "../json-lists.ts";
import { type Line, line, linesOf, lineWith, textOf, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";
import { issuerLine } from "../modules/issuers.ts";
import type { UsualPorts } from "../sites/addresses.ts";
import { emailOf, ownSettings } from "../sites/issuer-settings.ts";
import { waysToSayIssuers } from "./change-issuers.ts";
import { respellings, withSites } from "./change-sites.ts";
import { withAt } from "./list-changes.ts";
import type { Mending, TriedDraft } from "./mending.ts";

const maxStarts = 3;
/** How many changes that help most by themselves are made in pairs, and in threes. */
const maxPaired = 28;
const maxTripled = 10;

/** A site's possible statement about the policy of its names: words of `tls`, and lines in its block. */
interface Statement {
  readonly words: readonly Word[];
  readonly lines: readonly Line[];
}

const policyLineNames = new Set([
  "ca",
  "get_certificate",
  "issuer",
  "key_type",
  "on_demand",
  "renewal_window_ratio",
  "reuse_private_keys",
]);
const policyOptionNames = new Set([
  "acme_ca",
  "acme_ca_root",
  "acme_eab",
  "cert_issuer",
  "cert_lifetime",
  "email",
  "key_type",
  "local_certs",
  "preferred_chains",
  "renewal_window_ratio",
]);

function nameOf({ words: [name = ""] }: Line): string {
  return textOf(name);
}

/** One change of a draft; changes of different places can be made together. */
interface Change {
  /** The site that changes, or -1 for the options. */
  readonly place: number;
  readonly apply: (draft: ConfigDraft) => ConfigDraft;
}

/** A site's lines with another statement about the policy of its names. */
function withStatement(head: readonly Line[], { words, lines }: Statement): Line[] {
  const others = head.flatMap((each) => {
    if (nameOf(each) !== "tls") {
      return [each];
    }
    const [name = "tls", first, ...more] = each.words;
    const isPolicy = more.length === 0 && first !== undefined && /^internal$|@/.test(textOf(first));
    const inner = each.block === undefined ? [] : linesOf(each.block);
    const kept = inner.filter((other) => !policyLineNames.has(nameOf(other)));
    const rest = isPolicy ? [name] : each.words;
    return kept.length === 0 && rest.length === 1 ? [] : [lineWith(rest, kept)];
  });
  return words.length === 0 && lines.length === 0 ? others : [...others, lineWith(["tls", ...words], lines)];
}

function fieldsOf(policy: JsonObject): Line[] {
  const lines = objectsOf(policy.get_certificate).map(({ via, url }) =>
    line("get_certificate", ...[via, url].filter((each) => typeof each === "string")),
  );
  const { key_type, renewal_window_ratio: ratio, on_demand, reuse_private_keys } = policy;
  if (typeof key_type === "string") {
    lines.push(line("key_type", key_type));
  }
  if (typeof ratio === "number") {
    lines.push(line("renewal_window_ratio", `${ratio}`));
  }
  if (on_demand === true) {
    lines.push(line("on_demand"));
  }
  if (reuse_private_keys === true) {
    lines.push(line("reuse_private_keys"));
  }
  return lines;
}

function issuersOf(policy: JsonObject, ports: UsualPorts): Statement {
  const issuers = objectsOf(policy.issuers);
  const email = emailOf(issuers, ports);
  if (JSON.stringify(issuers) === '[{"module":"internal"}]') {
    return { words: ["internal"], lines: [] };
  }
  if (email?.includes("@")) {
    return { words: [email], lines: [] };
  }
  try {
    return {
      words: [],
      lines: issuers.map((each) => issuerLine(new Members(ownSettings(each, ports), ""), "issuer")),
    };
  } catch {
    return { words: [], lines: [] }; // an issuer that no line says
  }
}

/** Everything that sites may have said for a policy to be as it is: nothing, all of it, or a part. */
function statementsOf(policies: readonly JsonObject[], ports: UsualPorts): Statement[] {
  const all: Statement[] = [{ words: [], lines: [] }];
  for (const policy of policies) {
    const issuers = issuersOf(policy, ports);
    const fields = fieldsOf(policy);
    all.push({ words: issuers.words, lines: [...issuers.lines, ...fields] }, issuers);
    all.push({ words: [], lines: fields });
  }
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

function* changesOf(
  draft: ConfigDraft,
  policies: readonly JsonObject[],
  ports: UsualPorts,
): Generator<Change> {
  const statements = statementsOf(policies, ports);
  const change = (place: number, site: DraftedSite): Change => ({
    place,
    apply: (other) =>
      withSites(other, withAt(other.sites, place, { ...site, body: other.sites[place]?.body ?? [] })),
  });
  for (const [index, site] of draft.sites.entries()) {
    for (const statement of statements) {
      const head = withStatement(site.head, statement);
      yield change(index, { ...site, head });
      for (const keys of site.keys.some((key) => /^(https?:\/\/)?(:\d+)?$/.test(key))
        ? respellings(site, ports)
        : []) {
        yield change(index, { ...site, keys, head });
      }
    }
  }
  const others = draft.options.filter((each) => !policyOptionNames.has(nameOf(each)));
  const fields = [
    [],
    ...policies.map((policy) => fieldsOf(policy).filter((each) => policyOptionNames.has(nameOf(each)))),
  ];
  const ways = waysToSayIssuers(policies, ports).flatMap((way) => fields.map((more) => [...way, ...more]));
  for (const way of new Map(ways.map((each) => [JSON.stringify(each), each])).values()) {
    yield { place: -1, apply: (other) => ({ ...other, options: [...others, ...way] }) };
  }
}

/**
 * Drafts whose certificates are as the config's: what each site says of them, and what the options say, is changed in
 * up to three places at once. Routes and logs are left aside meanwhile.
 */
export async function* assignedCertificates(
  tried: readonly TriedDraft[],
  { config, ports, certificates, time }: Mending,
): AsyncGenerator<ConfigDraft> {
  const tls = isJsonObject(config) && isJsonObject(config.apps) ? config.apps.tls : undefined;
  const automation = isJsonObject(tls) && isJsonObject(tls.automation) ? tls.automation : {};
  const policies = objectsOf(automation.policies);
  const starts: { draft: ConfigDraft; score: number }[] = [];
  for (const { draft } of tried) {
    starts.push({ draft, score: certificates.scoreOf(draft) });
    await time.nextTurn();
  }
  starts.sort((a, b) => a.score - b.score);
  if (starts[0]?.score === 0) {
    return; // something else differs
  }
  for (const { draft, score: start } of starts.slice(0, maxStarts)) {
    const single: { change: Change; gain: number }[] = [];
    for (const change of changesOf(draft, policies, ports)) {
      const changed = change.apply(draft);
      const score = certificates.scoreOf(changed);
      if (score === 0) {
        yield changed;
      }
      single.push({ change, gain: score - start });
      await time.nextTurn();
      if (time.isOver) {
        return;
      }
    }
    single.sort((a, b) => a.gain - b.gain);
    for (const changes of together(single.map(({ change }) => change))) {
      const changed = changes.reduce((other, change) => change.apply(other), draft);
      if (certificates.scoreOf(changed) === 0) {
        yield changed;
      }
      await time.nextTurn();
      if (time.isOver) {
        return;
      }
    }
  }
}

/** Changes of different places, two and three together; those that come first, first. */
function* together(changes: readonly Change[]): Generator<readonly Change[]> {
  const pairs = changes.slice(0, maxPaired);
  for (const [index, second] of pairs.entries()) {
    for (const first of pairs.slice(0, index)) {
      if (first.place !== second.place) {
        yield [first, second];
      }
    }
  }
  const triples = changes.slice(0, maxTripled);
  for (const [index, third] of triples.entries()) {
    for (const [at, second] of triples.slice(0, index).entries()) {
      for (const first of triples.slice(0, at)) {
        if (new Set([first.place, second.place, third.place]).size === 3) {
          yield [first, second, third];
        }
      }
    }
  }
}
