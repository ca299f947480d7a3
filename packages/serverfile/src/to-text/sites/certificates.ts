// In the config, policies decide how names get certificates. In the text, sites and options do:
//
// | in the config | text |
// |---|---|
// | a policy without `subjects` | global options such as `email`, `acme_ca`, `key_type` |
// | a policy with the names of a site | lines `tls …` in the site |
// | internal issuer | `tls internal` |
// | `automate` with the names of a site | no line, or `tls force_automate` |
// | `automate` with other names | further addresses of the site for any host, or the option `tls_automate_names` |
// | a connection policy with files | `tls cert key` |

import type { JsonObject } from "server-core/json/json-value";
import { isInternalSubject } from "../../tls/certificate-subjects.ts";
import { wordsOf } from "../../values/block-fields.ts";
import type { AutomatedAddresses } from "../choices.ts";
import { distinct, textsOf } from "../json-lists.ts";
import { type Fields, field, fieldLines, flag, parts, text } from "../lines/field-lines.ts";
import { given, type Line, line, lineWith, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";
import { isSecure } from "./addresses.ts";
import type { ConfigFacts } from "./config-facts.ts";
import { certificatePairs, connectionFor, connectionLines } from "./connection-lines.ts";
import { emailOf, isInternal, issuerLines, type Policy, policiesPath, readPolicies } from "./policies.ts";
import {
  hasNoCertificates,
  hostsOfDraft,
  isForAnyHost,
  type SiteDraft,
  type SiteGroup,
} from "./site-draft.ts";

/** Members of a policy that both sites and global options can express. */
export const keyFields: Fields = {
  key_type: text("key_type"),
  renewal_window_ratio: field("renewal_window_ratio", wordsOf.number),
};

/** Members of a policy, each of which is written as one line. */
const policyFields: Fields = {
  get_certificate: parts("get_certificate", (manager, name) =>
    line(name, manager.text("via") ?? "", ...given(manager.text("url"))),
  ),
  on_demand: flag("on_demand"),
  reuse_private_keys: flag("reuse_private_keys"),
  ...keyFields,
};

/** A site's certificate settings. */
export interface SiteCertificates {
  readonly lines: readonly Line[];
  /** Further hosts that are added to the site's addresses. */
  readonly names: readonly string[];
  /** The address that answers challenges: the first address of `bind`. */
  readonly bindHost: string | undefined;
}

/** The `tls` lines of sites. */
export class CertificateLines {
  readonly #facts: ConfigFacts;
  readonly #policies: readonly Policy[];
  /** Names that sites manage through their addresses or through `force_automate`. */
  readonly automated = new Set<string>();
  /** True after the `load` line was written for a site; a second such line would load the folders twice. */
  #hasFolders = false;

  constructor(facts: ConfigFacts) {
    this.#facts = facts;
    this.#policies = readPolicies(facts.tls, facts.ports);
  }

  /** True when the text has ACME settings for all names as global options, instead of `cert_issuer`. */
  get hasAcmeOptions(): boolean {
    return this.#facts.choices.acmeOptions;
  }

  /** The policy for names that no other policy lists. */
  get #catchAll(): Policy | undefined {
    return this.#policies.find(({ subjects }) => subjects === undefined);
  }

  /** The policy for names that no other policy lists, if the text has it as global options; otherwise undefined. */
  get globalPolicy(): Policy | undefined {
    return this.#facts.choices.globalCertificates ? this.#catchAll : undefined;
  }

  /** Names in the config's `automate`. */
  get automateNames(): string[] {
    return textsOf(this.#facts.tls, "certificates", "automate");
  }

  /** The policy that lists a host; undefined for a host in no policy. */
  #policyFor(host: string): Policy | undefined {
    return this.#policies.find(({ subjects }) => subjects?.includes(host));
  }

  /** The email of all policies with default issuers, if the text has it as a global option; otherwise undefined. */
  get globalEmail(): string | undefined {
    const issuers = this.#policies.flatMap((policy) => policy.issuers);
    const emails = issuers.flatMap(({ module, email }) => (module === "acme" ? [email] : []));
    const [email] = this.#policies.flatMap((policy) => given(emailOf(policy)));
    return this.hasAcmeOptions && emails.every((each) => each === email) ? email : undefined;
  }

  /**
   * Writes the lines of a site, which may be part of several servers.
   * @throws ServerError CONFIG_INEXPRESSIBLE
   */
  linesFor(group: SiteGroup): SiteCertificates {
    const secure = (site: SiteDraft) =>
      hostsOfDraft(site).filter((host) => isSecure(site.server, host, this.#facts.ports));
    const isSecureAny = (site: SiteDraft) =>
      isForAnyHost(site) && isSecure(site.server, "", this.#facts.ports);
    const any = group.find(isSecureAny);
    const names = any === undefined ? [] : this.#automatedAddresses();
    const hosts = [...new Set([...group.flatMap(secure), ...names])];
    if (hosts.length === 0 && any === undefined) {
      return { lines: [], names, bindHost: undefined };
    }
    if (group.some(isForAnyHost)) {
      this.#note(hosts);
    }
    const named = this.#policyOf(hosts, any !== undefined);
    const policy = named !== undefined && this.#isSaidElsewhere(named, group) ? undefined : named;
    const bindHost = policy?.bindHost ?? this.#catchAll?.bindHost;
    const { words, lines: policyLines } = this.#policyLines(policy);
    const connections = group.flatMap((site) => {
      const own = secure(site);
      const connection = own.length === 0 && !isSecureAny(site) ? undefined : connectionFor(site.server, own);
      return given(connection).map((policy) => ({
        policy,
        own,
        lines: connectionLines(policy, site.server),
      }));
    });
    const pairs = connections.flatMap(({ policy }) => certificatePairs(this.#facts.tls, policy));
    const forced = connections.filter(({ policy, own }) => any === undefined && this.#isForced(policy, own));
    this.#note(forced.flatMap(({ own }) => own));
    const isForced = forced.length > 0;
    const served = group.filter(({ server }) => server.listening.port !== this.#facts.ports.http);
    const lines = [...connections.flatMap((each) => each.lines), ...this.#folderLines(served.length)];
    const all = [...policyLines, ...distinct(lines)];
    // A name of "" is a client without SNI, which also gets the policy of the site with the default name.
    const isBare = connections.some(
      (each) => each.lines.length === 0 && textsOf(each.policy, "match", "sni").includes(""),
    );
    if (isBare && all.length === 0 && words.length === 0 && pairs.length === 0 && !isForced) {
      all.push(line("curves")); // has no effect, except that the site then has a separate policy
    }
    return { lines: this.#tlsLines(words, all, distinct(pairs), isForced), names, bindHost };
  }

  /**
   * True when another site writes the policy for this site's names, because challenges use the listen address of that
   * site.
   */
  #isSaidElsewhere({ subjects = [], issuers, bindHost }: Policy, group: readonly SiteDraft[]): boolean {
    if (!issuers.some(({ module }) => module === "acme")) {
      return false;
    }
    const says = ({ server: { listening } }: SiteDraft) =>
      bindHost === undefined
        ? listening.binds.every(({ address }) => address === "")
        : listening.binds.some(({ address }) => address === bindHost);
    const isNamed = (site: SiteDraft) => hostsOfDraft(site).some((host) => subjects.includes(host));
    return !group.some(says) && this.#facts.sites.some((site) => isNamed(site) && says(site));
  }

  /** Finds the policy of a site. The first host whose policy is not plainly internal decides, else the first host. */
  #policyOf(hosts: readonly string[], isAny: boolean): Policy | undefined {
    const isPlain = (policy: Policy | undefined) =>
      policy !== undefined && isInternal(policy) && Object.keys(policy.settings).length === 0;
    const lead = hosts.find((host) => !isPlain(this.#policyFor(host))) ?? hosts[0];
    const own = lead === undefined ? undefined : this.#policyFor(lead);
    if (own !== undefined || !isAny) {
      // In a site for any host the setting would apply to all names. Internal names have this issuer by default.
      const isUnsaid = isAny && this.#catchAll === undefined && isPlain(own);
      return isUnsaid && own?.subjects?.every(isInternalSubject) ? undefined : own;
    }
    return this.#onlyForSites(this.globalPolicy) ?? this.#catchAll;
  }

  /**
   * Writes the `tls` lines. The first line contains the block; each further pair of files or word, such as
   * `force_automate`, has its own line.
   */
  #tlsLines(
    said: readonly Word[],
    lines: readonly Line[],
    pairs: readonly (readonly string[])[],
    isForced: boolean,
  ): Line[] {
    const heads = [...pairs, said, isForced ? ["force_automate"] : []].filter((words) => words.length > 0);
    const [first = [], ...more] = heads;
    return heads.length === 0 && lines.length === 0
      ? []
      : [lineWith(["tls", ...first], lines), ...more.map((words) => line("tls", ...words))];
  }

  /** Settings of the policy for all names that only sites can express. */
  #onlyForSites(policy: Policy | undefined): Policy | undefined {
    const kept = Object.entries(policy?.settings ?? {}).filter(([key]) => !(key in keyFields));
    return policy && { ...policy, issuers: [], bindHost: undefined, settings: Object.fromEntries(kept) };
  }

  #policyLines(policy: Policy | undefined): { words: Word[]; lines: Line[] } {
    if (policy === undefined) {
      return { words: [], lines: [] };
    }
    const { settings } = policy;
    const global = this.globalPolicy?.settings;
    const isOwn = (key: string) => !(key in keyFields) || settings[key] !== global?.[key];
    const fields = Object.fromEntries(Object.entries(policyFields).filter(([key]) => isOwn(key)));
    const lines = fieldLines(new Members(settings, policiesPath), fields);
    // Global options cannot express a policy for a single address.
    const mayBeGlobal = policy.bindHost === undefined || this.#facts.binds !== undefined;
    if (mayBeGlobal && this.#hasGlobalIssuers(policy)) {
      return { words: [], lines };
    }
    const email = emailOf(policy);
    const word = isInternal(policy) ? "internal" : email?.includes("@") ? email : undefined;
    return word === undefined
      ? { words: [], lines: [...issuerLines(policy, "issuer", this.globalEmail), ...lines] }
      : { words: [word], lines };
  }

  /** True when the issuers equal the issuers in the global options. */
  #hasGlobalIssuers(policy: Policy): boolean {
    const isEqual = JSON.stringify(policy.issuers) === JSON.stringify(this.globalPolicy?.issuers);
    const email = this.globalEmail;
    return policy.issuers.length > 0 && (isEqual || (email !== undefined && emailOf(policy) === email));
  }

  /**
   * Writes the `load` line. @param servers number of servers with this site; the JSON repeats the folders for each
   * server
   */
  #folderLines(servers: number): Line[] {
    const all = textsOf(this.#facts.tls, "certificates", "load_folders");
    const folders = all.slice(0, all.length / Math.max(1, servers));
    const isRepeated = all.every((folder, index) => folder === folders[index % folders.length]);
    if (folders.length === 0 || !isRepeated || this.#hasFolders) {
      return [];
    }
    this.#hasFolders = true;
    return [line("load", ...folders)];
  }

  /** True when a site needs `force_automate`, because its names are managed although it loads certificates. */
  #isForced(connection: JsonObject, hosts: readonly string[]): boolean {
    const names = this.automateNames;
    return hosts.length > 0 && connection.match !== undefined && hosts.every((host) => names.includes(host));
  }

  #note(hosts: readonly string[]): void {
    for (const host of hosts) {
      this.automated.add(host);
    }
  }

  /** Further hosts for the site for any host, because they need certificates although no route contains them. */
  #automatedAddresses(): string[] {
    const known = new Set(this.#facts.sites.flatMap((site) => hostsOfDraft(site)));
    const bare = this.#policies.filter(
      ({ issuers, settings }) => issuers.length + Object.keys(settings).length === 0,
    );
    const leads = bare.map(({ subjects = [] }) => subjects[0]);
    const isAsked: Readonly<Record<AutomatedAddresses, (name: string) => boolean>> = {
      all: () => true,
      first: (name) => leads.includes(name),
      internal: (name) => !known.has(name) && isInternalSubject(name),
      none: () => false,
      unserved: (name) => !known.has(name),
    };
    // If automatic certificates are disabled, names of policies without a site are missing in `automate` too.
    const isOff = this.#facts.sites.some(({ server }) => hasNoCertificates(server));
    const unsaid = isOff ? this.#policies.flatMap(({ subjects = [] }) => subjects) : [];
    const names = [...new Set([...this.automateNames, ...unsaid])];
    return names.filter(
      (name) => !this.automated.has(name) && isAsked[this.#facts.choices.automatedAddresses](name),
    );
  }
}
