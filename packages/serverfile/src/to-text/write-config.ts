// Writes a config in one way:
//
// | step | what is found |
// |---|---|
// | `readServers` | servers, and the sites that their routes show |
// | `withHiddenSites` | sites that only logs or policies tell of |
// | `mergeSites` | sites of several servers that are one in the text |
// | `RouteWriter` | directives of each site, named matchers |
// | `inReadingOrder` | the order of sites in which `group0`, `group1` … come out as in the config |
// | options | everything that is no site |
//
// Writers take the members that they write. Members that are left have no text, and the config is refused.

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

/** A site as text: sites that are the same in several servers are one. */
interface SiteText extends SiteLines {
  /** The drafts that share this text; at least one. */
  readonly sites: readonly SiteDraft[];
  /** Directives of the site's routes. */
  readonly body: RouteBlock;
  /** How many groups of mutually exclusive routes the site has. */
  readonly groups: number;
  /** The number of the site's first group; undefined when the config shows none. */
  readonly firstGroup: number | undefined;
}

/** Writers and facts that all sites of a text share. */
interface SitePlace {
  /** All sites of the text, in their order. */
  readonly sites: readonly SiteDraft[];
  /** Writes the lines `log`; it counts the logs that have no name. */
  readonly accessLogs: AccessLogs;
  /** Writes the lines `tls`; it remembers which names sites automate. */
  readonly certificates: CertificateLines;
  /** Addresses that all sites listen on, when `default_bind` says them. */
  readonly common: Listening["binds"] | undefined;
  /** True for the last site of the text. */
  readonly isLast: boolean;
}

/** Everything that was read of the config, for one way to write it. */
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

  /** Another order of directives, which the sites written so far need; undefined when the order fits. */
  get betterOrder(): DirectiveOrder | undefined {
    return this.#order.better();
  }

  /** The lines of the text. It can be called once, since members are taken. */
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
      // Logs are numbered as they are read, too.
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

  /** A writer for the routes of one site, whose matchers have names of their own. */
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

  /** The lines of the block of global options. @throws ServerError for a part of the config that no option says */
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
      ...certificateOptionLines(this.#tls, certificates, this.#ports, this.#choices),
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

/** The names that servers get without an option: `srv0` and so on, by their addresses. */
function expectedNames(servers: readonly ServerDraft[]): string[] {
  const ordered = [...servers].sort((a, b) => ((a.listen[0] ?? "") < (b.listen[0] ?? "") ? -1 : 1));
  return servers.map((server) =>
    /^srv\d+$/.test(server.name) ? server.name : `srv${ordered.indexOf(server)}`,
  );
}

/** How a config is written. */
export interface WriteOptions {
  /** Which of several equal spellings is taken at each choice. */
  readonly choices: Choices;
  /** The file that the text is thought to be in. */
  readonly hiddenFile: string;
  /** The directives' writers, of the server's modules and the user's. */
  readonly writers: TextWriters;
}

/**
 * Writes a config in one way. Each module writes its own part.
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function writeConfig(config: JsonValue, options: WriteOptions): string {
  const first = new ConfigWriter(config, options);
  const lines = first.lines();
  const order = first.betterOrder;
  return configText(order === undefined ? lines : new ConfigWriter(config, options, order).lines());
}
