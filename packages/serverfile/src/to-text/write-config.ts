// Writes a config in one way:
//
// | step | result |
// |---|---|
// | `readServers` | servers, and the sites that are visible in their routes |
// | `withHiddenSites` | sites that only logs or policies imply |
// | `mergeSites` | groups of sites that are one site in the text |
// | `RouteWriter` | directives of each site, and its named matchers |
// | `inReadingOrder` | the order of sites in which their groups get the numbers of the config |
// | options | everything outside of sites |
//
// Writers take the members that they have written. Remaining members have no text form, and the config is refused.

import type { JsonObject, JsonValue } from "server-core/json/json-value";
import type { Choices } from "./choices.ts";
import { type ConfigLines, configText, type SiteLines, unservedSite } from "./config-lines.ts";
import { inexpressible } from "./inexpressible.ts";
import { fieldLines, part, texts } from "./lines/field-lines.ts";
import { given, type Line, line } from "./lines/line.ts";
import { NamedMatchers } from "./matchers/named-matchers.ts";
import { Members } from "./members.ts";
import { storageLine } from "./modules/storage.ts";
import { eventLines } from "./options/event-lines.ts";
import { serverOptionLines } from "./options/server-options.ts";
import {
  adminLines,
  authorityLines,
  autoHttpsLines,
  certificateOptionLines,
  httpAppFields,
  isDebug,
  logOptionLines,
  sniLines,
} from "./options/write-options.ts";
import { errorStatements } from "./routes/error-statements.ts";
import type { TextWriters } from "./routes/handler-writer.ts";
import { namedRoutes } from "./routes/named-routes.ts";
import { DirectiveOrder, OrderNeeds } from "./routes/order-needs.ts";
import { inReadingOrder, RouteBlock } from "./routes/route-block.ts";
import { RouteWriter } from "./routes/write-routes.ts";
import { AccessLogs } from "./sites/access-logs.ts";
import type { UsualPorts } from "./sites/addresses.ts";
import { bindLines, bindLinesOf, commonBinds } from "./sites/bind-lines.ts";
import { inCertificateOrder } from "./sites/certificate-order.ts";
import { unloadedPairs } from "./sites/certificate-pairs.ts";
import { CertificateLines } from "./sites/certificates.ts";
import { withHiddenSites } from "./sites/hidden-sites.ts";
import { keysOfGroup } from "./sites/keys-of-group.ts";
import { mergeSites } from "./sites/merge-sites.ts";
import { readServersWith } from "./sites/read-servers.ts";
import type { Listening, ServerDraft, SiteDraft } from "./sites/site-draft.ts";
import { usualPortsOf, zeroPortLines } from "./sites/usual-ports.ts";

/** A site as text. Equal sites of several servers are merged. */
interface SiteText extends SiteLines {
  /** The drafts that this text replaces; never empty. */
  readonly sites: readonly SiteDraft[];
  /** Directives of the site's routes. */
  readonly body: RouteBlock;
  /** Count of the site's groups of mutually exclusive routes. */
  readonly groups: number;
  /** The number of the site's first group; undefined when the config does not show it. */
  readonly firstGroup: number | undefined;
}

/** Writers and facts shared by all sites of a text. */
interface SitePlace {
  /** All sites of the text, in the order of the text. */
  readonly sites: readonly SiteDraft[];
  /** Writes the lines `log`, and counts unnamed logs. */
  readonly accessLogs: AccessLogs;
  /** Writes the lines `tls`, and remembers the names that sites manage. */
  readonly certificates: CertificateLines;
  /** Listen addresses of all sites, if the text has them in `default_bind`. */
  readonly common: Listening["binds"] | undefined;
  /** True for the last site of the text. */
  readonly isLast: boolean;
}

/** The data read from a config, for writing it with one set of choices. */
class ConfigWriter {
  readonly #config: Members;
  readonly #choices: Choices;
  readonly #order: OrderNeeds;
  readonly #hiddenFile: string;
  readonly #writers: TextWriters;
  readonly #ports: UsualPorts;
  readonly #http: Members | undefined;
  readonly #tls: Members | undefined;

  constructor(config: JsonValue, options: WriteOptions, order = new DirectiveOrder(options.writers.order)) {
    const { choices } = options;
    this.#writers = options.writers;
    this.#config = new Members(config, "/config");
    this.#choices = choices;
    this.#order = new OrderNeeds(order);
    this.#hiddenFile = options.hiddenFile;
    const apps = this.#config.child("apps");
    this.#http = apps?.child("http");
    this.#tls = apps?.child("tls");
    const ports = usualPortsOf(config);
    this.#ports = { ...ports, namesScheme: choices.namesScheme };
  }

  /** Another order of directives that the written sites need; undefined when the current order is right. */
  get betterOrder(): DirectiveOrder | undefined {
    return this.#order.better();
  }

  /** Returns the lines of the text. Call this only once, because the members are taken. */
  lines(): ConfigLines {
    const logs = this.#logs();
    const tlsJson = this.#tls === undefined ? {} : this.#config.objectAt("apps", "tls");
    const given = this.#http?.child("servers");
    const { servers, sites: shown } = readServersWith(tlsJson, given, this.#ports);
    const sites = withHiddenSites(shown, servers, this.#choices.hiddenAnyHost);
    const makeCertificates = () => new CertificateLines(tlsJson, this.#ports, this.#choices, sites);
    let certificates = makeCertificates();
    const bind = this.#choices.defaultBind ? commonBinds(servers) : undefined;
    const groups = mergeSites(sites, this.#choices.merging);
    const written = (given: readonly (readonly SiteDraft[])[]) => {
      const accessLogs = new AccessLogs(logs, isDebug(logs), given.flat());
      return given.map((group, index) =>
        this.#site(group, {
          sites,
          accessLogs,
          certificates,
          common: bind,
          isLast: index === given.length - 1,
        }),
      );
    };
    const texts = written(groups);
    const numberOf = ({ sites: group }: SiteText) => certificates.certificateNumberOf(group);
    let ordered = inCertificateOrder(inReadingOrder(texts, 0), numberOf);
    if (ordered.some((text, index) => text !== texts[index])) {
      // The sites are written again, because logs are also numbered in writing order.
      certificates = makeCertificates();
      ordered = written(ordered.map((text) => text.sites));
    }
    let next = 0;
    for (const { body, groups: count } of ordered) {
      body.arrange(next);
      next += count;
    }
    const named = namedRoutes(servers, () => this.#writerFor());
    return {
      options: this.#options(servers, logs, certificates, bind),
      named: named.map(([name, block]) => ({ words: [`&(${name})`], block: block.lines })),
      sites: [
        ...unloadedPairs(tlsJson, servers).map((pair, index) => unservedSite(index, [line("tls", ...pair)])),
        ...ordered,
      ],
    };
  }

  /** The logs of the config by name. */
  #logs(): JsonObject {
    const logging = this.#config.child("logging");
    logging?.take("logs");
    logging?.done("logging");
    return logging?.objectAt("logs") ?? {};
  }

  /** A writer for the routes of one site, which gives names to the matchers of this site. */
  #writerFor(): RouteWriter {
    return new RouteWriter(new NamedMatchers(this.#writers.matcherLines), {
      hiddenFile: this.#hiddenFile,
      order: this.#order,
      writers: this.#writers,
    });
  }

  #site(
    group: readonly SiteDraft[],
    { sites, accessLogs, certificates, common, isLast }: SitePlace,
  ): SiteText {
    const site = group[0] as SiteDraft;
    const writer = this.#writerFor();
    const main = writer.sorted(site.main.routes, site.main.path);
    const errors = errorStatements(site, writer);
    const [first, second] = this.#choices.errorsFirst ? [errors, main.statements] : [main.statements, errors];
    const tls = certificates.linesFor(group, common !== undefined);
    const head = [
      ...(common === undefined ? bindLines(group, tls.bindHost) : []),
      ...tls.lines,
      ...accessLogs.linesFor(group),
      ...(isLast ? accessLogs.rest() : []),
    ];
    const body = new RouteBlock([...first, ...second], true, writer.definitions);
    const keys = keysOfGroup(site, group, { sites, automated: tls.names, ports: this.#ports });
    return { sites: group, body, keys, head, groups: body.innerGroups, firstGroup: body.firstInnerGroup };
  }

  /** Writes the global options. @throws ServerError for a part of the config without an option */
  #options(
    servers: readonly ServerDraft[],
    logs: JsonObject,
    certificates: CertificateLines,
    bind: Listening["binds"] | undefined,
  ): Line[] {
    const config = this.#config;
    const text = JSON.stringify(config.objectAt("apps", "http"));
    const mentioned = (id: string) => text.includes(`"ca":${JSON.stringify(id)}`);
    const lines = [
      ...fieldLines(config, { modules: texts("modules") }),
      ...adminLines(config.child("admin")),
      ...logOptionLines(logs),
      ...fieldLines(config, { storage: part("storage", storageLine) }),
      ...given(this.#http).flatMap((http) => fieldLines(http, httpAppFields)),
      ...zeroPortLines(this.#ports),
      ...given(bind).flatMap((each) => bindLinesOf("default_bind", each)),
      ...sniLines(servers),
      ...autoHttpsLines(servers),
      ...certificateOptionLines(this.#tls, certificates),
      ...authorityLines(config.child("apps")?.child("pki"), mentioned),
      ...this.#order.order.lines,
      ...serverOptionLines(servers, expectedNames(servers), this.#writers),
    ];
    const left = config.keys[0];
    if (left !== undefined) {
      throw inexpressible(config.pathOf(left), "there is no option for it");
    }
    const apps = config.child("apps");
    for (const app of apps?.keys ?? []) {
      const write = app === "events" ? eventLines : this.#writers.optionWriterOf(app);
      const members = apps?.child(app);
      if (write === undefined || members === undefined) {
        throw inexpressible(`/config/apps/${app}`, "there is no option for the app");
      }
      lines.push(...write(members, this.#writers.matcherLines));
    }
    return lines;
  }
}

/** The generated names of servers, such as `srv0`, in the order of their addresses. */
function expectedNames(servers: readonly ServerDraft[]): string[] {
  const ordered = [...servers].sort((a, b) => ((a.listen[0] ?? "") < (b.listen[0] ?? "") ? -1 : 1));
  return servers.map((server) =>
    /^srv\d+$/.test(server.name) ? server.name : `srv${ordered.indexOf(server)}`,
  );
}

/** Options for writing a config. */
export interface WriteOptions {
  /** The spelling to use where a config allows several. */
  readonly choices: Choices;
  /** Possible file name of the text. */
  readonly hiddenFile: string;
  /** Writers of the directives, from the server's modules and the user's. */
  readonly writers: TextWriters;
}

/**
 * Writes a config with one set of choices. Each module writes the part for its own JSON.
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function writeConfig(config: JsonValue, options: WriteOptions): string {
  const first = new ConfigWriter(config, options);
  const lines = first.lines();
  const order = first.betterOrder;
  return configText(order === undefined ? lines : new ConfigWriter(config, options, order).lines());
}
