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
import type { Choices } from "../choices.ts";
import { distinct, hasOnly, objectsOf, textsOf } from "../json-lists.ts";
import { type Fields, field, fieldLines, flag, parts, text } from "../lines/field-lines.ts";
import { given, type Line, line, lineWith, type Word } from "../lines/line.ts";
import { Members } from "../members.ts";
import { issuerLine } from "../modules/issuers.ts";
import { isSecure, type UsualPorts } from "./addresses.ts";
import { certificatePairs } from "./certificate-pairs.ts";
import { connectionFor, connectionLines, isForNameless } from "./connection-lines.ts";
import { bindHostOf, emailOf, ownSettings, policiesPath } from "./issuer-settings.ts";
import { hasNoCertificates, hostsOfDraft, isForAnyHost, type SiteDraft } from "./site-draft.ts";

/** Members of a policy, each of which is written as one line. */
const policyFields: Fields = {
  get_certificate: parts("get_certificate", (manager, name) =>
    line(name, manager.text("via") ?? "", ...given(manager.text("url"))),
  ),
  key_type: text("key_type"),
  on_demand: flag("on_demand"),
  reuse_private_keys: flag("reuse_private_keys"),
  renewal_window_ratio: field("renewal_window_ratio", wordsOf.number),
};

/** Members of a policy without a global option. */
const siteOnly = new Set(["get_certificate", "on_demand", "reuse_private_keys"]);

/** A site's certificate settings. */
export interface SiteCertificates {
  readonly lines: readonly Line[];
  /** Further hosts that are added to the site's addresses. */
  readonly names: readonly string[];
  /** The address that answers challenges: the first address of `bind`. */
  readonly bindHost: string | undefined;
}

/** The lines `tls` of sites. */
export class CertificateLines {
  readonly #tls: JsonObject;
  /** Policies of the app `tls`, in order. */
  readonly #policies: readonly JsonObject[];
  readonly #ports: UsualPorts;
  readonly #choices: Choices;
  /** Names that sites manage through their addresses or through `force_automate`. */
  readonly automated = new Set<string>();
  readonly #sites: readonly SiteDraft[];
  /** True after a site has got the line `load`; a second such line would load the folders twice. */
  #hasFolders = false;

  constructor(tls: JsonObject, ports: UsualPorts, choices: Choices, sites: readonly SiteDraft[]) {
    this.#sites = sites;
    this.#tls = tls;
    this.#ports = ports;
    this.#choices = choices;
    this.#policies = objectsOf(tls, "automation", "policies");
  }

  /** The policy for names that no other policy lists. */
  get catchAll(): JsonObject | undefined {
    return this.#policies.find(({ subjects }) => subjects === undefined);
  }

  /** Names in the config's `automate`. */
  get automateNames(): string[] {
    return textsOf(this.#tls, "certificates", "automate");
  }

  /** The policy that lists a host; undefined for a host in no policy. */
  #policyFor(host: string): JsonObject | undefined {
    return this.#policies.find(({ subjects }) => textsOf(subjects).includes(host));
  }

  /** The email of all policies with default issuers, if the text has it as a global option; otherwise undefined. */
  get globalEmail(): string | undefined {
    const lists = this.#policies.map((policy) => objectsOf(policy, "issuers"));
    const emails = lists.flat().flatMap(({ module, email }) => (module === "acme" ? [email] : []));
    const [first] = emails;
    const hasPair = lists.some((issuers) => emailOf(issuers, this.#ports) !== undefined);
    const isGlobal = this.#choices.acmeOptions && hasPair && emails.every((each) => each === first);
    return isGlobal && typeof first === "string" ? first : undefined;
  }

  /** The settings of an issuer, without the settings that {@link ownSettings} omits, and without the common email. */
  #settingsOf(issuer: JsonObject): JsonObject {
    const { email, ...others } = ownSettings(issuer, this.#ports);
    const isSaid = email !== undefined && email !== this.globalEmail;
    return isSaid ? { ...others, email } : others;
  }

  /**
   * Writes the lines of a site, which may be part of several servers.
   * @param isBoundByDefault true when the option `default_bind` sets the addresses
   * @throws ServerError CONFIG_INEXPRESSIBLE
   */
  linesFor(group: readonly SiteDraft[], isBoundByDefault: boolean): SiteCertificates {
    const secure = (site: SiteDraft) =>
      hostsOfDraft(site).filter((host) => isSecure(site.server, host, this.#ports));
    const isSecureAny = (site: SiteDraft) => isForAnyHost(site) && isSecure(site.server, "", this.#ports);
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
    const ownHost = bindHostOf(policy);
    const bindHost = ownHost ?? bindHostOf(this.catchAll);
    const { words, lines: policyLines } = this.#policyLines(
      policy,
      ownHost !== undefined && !isBoundByDefault,
    );
    const connections = group.flatMap((site) => {
      const own = secure(site);
      const connection = own.length === 0 && !isSecureAny(site) ? undefined : connectionFor(site.server, own);
      return given(connection).map((policy) => ({
        policy,
        own,
        lines: connectionLines(policy, site.server),
      }));
    });
    const pairs = connections.flatMap(({ policy }) => certificatePairs(this.#tls, policy));
    const forced = connections.filter(({ policy, own }) => any === undefined && this.#isForced(policy, own));
    this.#note(forced.flatMap(({ own }) => own));
    const isForced = forced.length > 0;
    const served = group.filter(({ server }) => server.listening.port !== this.#ports.http);
    const lines = [...connections.flatMap((each) => each.lines), ...this.#folderLines(served.length)];
    const all = [...policyLines, ...distinct(lines)];
    const isBare = connections.some((each) => each.lines.length === 0 && isForNameless(each.policy));
    if (isBare && all.length === 0 && words.length === 0 && pairs.length === 0 && !isForced) {
      all.push(line("curves")); // has no effect, except that the site then has a separate policy
    }
    return { lines: this.#tlsLines(words, all, distinct(pairs), isForced), names, bindHost };
  }

  /**
   * True when another site writes the policy for this site's names, because challenges use the listen address of that
   * site.
   */
  #isSaidElsewhere(policy: JsonObject, group: readonly SiteDraft[]): boolean {
    if (!objectsOf(policy.issuers).some(({ module }) => module === "acme")) {
      return false;
    }
    const subjects = textsOf(policy.subjects);
    const bindHost = bindHostOf(policy);
    const says = ({ server: { listening } }: SiteDraft) =>
      bindHost === undefined
        ? listening.binds.every(({ address }) => address === "")
        : listening.binds.some(({ address }) => address === bindHost);
    const isNamed = (site: SiteDraft) => hostsOfDraft(site).some((host) => subjects.includes(host));
    return !group.some(says) && this.#sites.some((site) => isNamed(site) && says(site));
  }

  /** The policy of a site, found through a host that no other site has. */
  #policyOf(hosts: readonly string[], isAny: boolean): JsonObject | undefined {
    const isInternal = (policy: JsonObject | undefined) =>
      JSON.stringify(settingsOf(policy)) === '{"issuers":[{"module":"internal"}]}';
    const lead = hosts.find((host) => !isInternal(this.#policyFor(host))) ?? hosts[0];
    const own = lead === undefined ? undefined : this.#policyFor(lead);
    if (own !== undefined || !isAny) {
      // In a site for any host the setting would apply to all names. Internal names have this issuer by default.
      const isUnsaid = isAny && this.catchAll === undefined && isInternal(own);
      return isUnsaid && textsOf(own?.subjects).every(isInternalSubject) ? undefined : own;
    }
    return this.#choices.globalCertificates ? this.#onlyForSites(this.catchAll) : this.catchAll;
  }

  /** Writes the lines `tls`: the first line has the block; each further file pair or word has another line. */
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
  #onlyForSites(policy: JsonObject | undefined): JsonObject | undefined {
    return policy && Object.fromEntries(Object.entries(policy).filter(([key]) => siteOnly.has(key)));
  }

  /**
   * Words and lines of a policy. @param isOwn true: the policy is for a single address, so global options cannot
   * express it
   */
  #policyLines(policy: JsonObject | undefined, isOwn: boolean): { words: Word[]; lines: Line[] } {
    if (policy === undefined) {
      return { words: [], lines: [] };
    }
    const members = new Members(policy, policiesPath);
    const lines: Line[] = [];
    const words: Word[] = [];
    const issuers = objectsOf(policy.issuers);
    const email = emailOf(issuers, this.#ports);
    const [only, more] = issuers;
    if (!isOwn && this.#isGlobal(issuers)) {
      // The global options already set the same value for all sites.
    } else if (more === undefined && JSON.stringify(only) === '{"module":"internal"}') {
      words.push("internal");
    } else if (email?.includes("@")) {
      words.push(email);
    } else {
      for (const issuer of issuers) {
        lines.push(issuerLine(new Members(this.#settingsOf(issuer), `${policiesPath}/issuers`), "issuer"));
      }
    }
    const catchAll = this.#choices.globalCertificates ? this.catchAll : undefined;
    const isOwnField = (key: string) =>
      siteOnly.has(key) || policy === catchAll || policy[key] !== catchAll?.[key];
    const fields = Object.entries(policyFields).filter(([key]) => isOwnField(key));
    return { words, lines: [...lines, ...fieldLines(members, Object.fromEntries(fields))] };
  }

  /** True when the issuers equal the issuers in the global options. */
  #isGlobal(issuers: readonly JsonObject[]): boolean {
    const global = this.#choices.globalCertificates ? objectsOf(this.catchAll?.issuers) : [];
    const bare = (list: readonly JsonObject[]) =>
      JSON.stringify(list.map((each) => ownSettings(each, this.#ports)));
    if (issuers.length > 0 && bare(issuers) === bare(global)) {
      return true;
    }
    const email = this.globalEmail;
    return email !== undefined && emailOf(issuers, this.#ports) === email;
  }

  /** The number of a site's first certificate file pair. Pairs are numbered in reading order. */
  certificateNumberOf(group: readonly SiteDraft[]): number | undefined {
    const numbers = group.flatMap((site) => {
      const hosts = hostsOfDraft(site).filter((host) => isSecure(site.server, host, this.#ports));
      const tags = textsOf(connectionFor(site.server, hosts), "certificate_selection", "any_tag");
      return tags.flatMap((tag) => (/^cert\d{1,9}$/.test(tag) ? [Number(tag.slice(4))] : []));
    });
    return numbers.length === 0 ? undefined : Math.min(...numbers);
  }

  /**
   * Writes the line `load`. @param servers number of servers with this site; the JSON repeats the folders for each
   * server
   */
  #folderLines(servers: number): Line[] {
    const all = textsOf(this.#tls, "certificates", "load_folders");
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

  /** Notes names that are automated by a site. */
  #note(hosts: readonly string[]): void {
    for (const host of hosts) {
      this.automated.add(host);
    }
  }

  /** Further hosts for the site for any host, because they need certificates although no route contains them. */
  #automatedAddresses(): string[] {
    const known = new Set(this.#sites.flatMap((site) => hostsOfDraft(site)));
    const leads = new Set(
      this.#policies
        .filter((policy) => hasOnly(policy, "subjects"))
        .flatMap(({ subjects }) => textsOf(subjects).slice(0, 1)),
    );
    const isAsked: Readonly<Record<Choices["automatedAddresses"], (name: string) => boolean>> = {
      all: () => true,
      first: (name) => leads.has(name),
      internal: (name) => !known.has(name) && isInternalSubject(name),
      none: () => false,
      unserved: (name) => !known.has(name),
    };
    // If automatic certificates are disabled, names of policies without a site are missing in `automate` too.
    const isOff = this.#sites.some(({ server }) => hasNoCertificates(server));
    const unsaid = isOff ? this.#policies.flatMap((policy) => textsOf(policy, "subjects")) : [];
    const names = [...new Set([...this.automateNames, ...unsaid])];
    return names.filter(
      (name) => !this.automated.has(name) && isAsked[this.#choices.automatedAddresses](name),
    );
  }
}

/** The settings of a policy, without its names. */
function settingsOf(policy: JsonObject | undefined): JsonObject {
  const { subjects: _subjects, ...settings } = policy ?? {};
  return settings;
}
