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

import type { JsonValue } from "server-core/json/json-value";
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
import { zeroPortLines } from "./sites/addresses.ts";
import { bindLines, bindLinesOf } from "./sites/bind-lines.ts";
import { inCertificateOrder } from "./sites/certificate-order.ts";
import { CertificateLines } from "./sites/certificates.ts";
import { type ConfigFacts, readFacts } from "./sites/config-facts.ts";
import { unloadedPairs } from "./sites/connection-lines.ts";
import { keysOfGroup } from "./sites/keys-of-group.ts";
import { mergeSites } from "./sites/merge-sites.ts";
import type { SiteGroup } from "./sites/site-draft.ts";

/** A site as text. Equal sites of several servers are merged. */
interface SiteText extends SiteLines {
  /** The drafts that this text replaces. */
  readonly sites: SiteGroup;
  /** Directives of the site's routes. */
  readonly body: RouteBlock;
  /** Count of the site's groups of mutually exclusive routes. */
  readonly groups: number;
  /** The number of the site's first group; undefined when the config does not show it. */
  readonly firstGroup: number | undefined;
}

/** Writes a config with one set of choices. */
class ConfigWriter {
  readonly #config: Members;
  readonly #facts: ConfigFacts;
  readonly #order: OrderNeeds;
  readonly #options: WriteOptions;

  constructor(config: JsonValue, options: WriteOptions, order = new DirectiveOrder(options.writers.order)) {
    this.#config = new Members(config, "/config");
    this.#facts = readFacts(this.#config, options.choices);
    this.#order = new OrderNeeds(order);
    this.#options = options;
  }

  /** Another order of directives that the written sites need; undefined when the current order is right. */
  get betterOrder(): DirectiveOrder | undefined {
    return this.#order.better();
  }

  /** Returns the lines of the text. Call this only once, because the members are taken. */
  lines(): ConfigLines {
    const { servers, sites, tls, choices, ports } = this.#facts;
    const first = this.#sites(mergeSites(sites, choices.merging));
    const ordered = inCertificateOrder(inReadingOrder(first.texts, 0), ports);
    // Sites in another order are written again, because logs are also numbered in writing order.
    const isKept = ordered.every((text, index) => text === first.texts[index]);
    const { texts, certificates } = isKept ? first : this.#sites(ordered.map((text) => text.sites));
    let next = 0;
    for (const { body, groups } of texts) {
      body.arrange(next);
      next += groups;
    }
    const unloaded = unloadedPairs(tls, servers).map((pair, index) =>
      unservedSite(index, [line("tls", ...pair)]),
    );
    return {
      named: namedRoutes(servers, () => this.#writerFor()),
      options: this.#optionLines(certificates),
      sites: [...unloaded, ...texts],
    };
  }

  /** Writes sites in an order. Each site depends on the sites before it, which may have the same logs and names. */
  #sites(groups: readonly SiteGroup[]): { texts: SiteText[]; certificates: CertificateLines } {
    const certificates = new CertificateLines(this.#facts);
    const accessLogs = new AccessLogs(this.#facts.logs, groups);
    return { texts: groups.map((group) => this.#site(group, accessLogs, certificates)), certificates };
  }

  /** A writer for the routes of one site, which gives names to the matchers of this site. */
  #writerFor(): RouteWriter {
    const { hiddenFile, writers } = this.#options;
    const matchers = new NamedMatchers(writers.matcherLines);
    return new RouteWriter(matchers, { hiddenFile, order: this.#order, writers });
  }

  #site(group: SiteGroup, accessLogs: AccessLogs, certificates: CertificateLines): SiteText {
    const { binds, choices } = this.#facts;
    const [site] = group;
    const writer = this.#writerFor();
    const main = writer.sorted(site.main.routes, site.main.path);
    const errors = errorStatements(site, writer);
    const body = new RouteBlock(
      choices.errorsFirst ? [...errors, ...main.statements] : [...main.statements, ...errors],
      true,
    );
    const tls = certificates.linesFor(group);
    const head = [
      ...(binds === undefined ? bindLines(group, tls.bindHost) : []),
      ...tls.lines,
      ...accessLogs.linesFor(group),
      ...writer.definitions,
    ];
    const keys = keysOfGroup(group, tls.names, this.#facts);
    return { sites: group, body, keys, head, groups: body.innerGroups, firstGroup: body.firstInnerGroup };
  }

  /** Writes the global options. @throws ServerError for a part of the config without an option */
  #optionLines(certificates: CertificateLines): Line[] {
    const { servers, logs, binds, ports } = this.#facts;
    const { writers } = this.#options;
    const apps = this.#config.child("apps");
    const config = this.#config;
    const text = JSON.stringify(config.objectAt("apps", "http"));
    const mentioned = (id: string) => text.includes(`"ca":${JSON.stringify(id)}`);
    const lines = [
      ...fieldLines(config, { modules: texts("modules") }),
      ...given(config.child("admin")).flatMap(adminLines),
      ...logOptionLines(logs),
      ...fieldLines(config, { storage: part("storage", storageLine) }),
      ...given(apps?.child("http")).flatMap((http) => fieldLines(http, httpAppFields)),
      ...zeroPortLines(ports),
      ...given(binds).flatMap((each) => bindLinesOf("default_bind", each)),
      ...sniLines(servers),
      ...autoHttpsLines(servers),
      ...given(apps?.child("tls")).flatMap((tls) => certificateOptionLines(tls, certificates)),
      ...given(apps?.child("pki")).flatMap((pki) => authorityLines(pki, mentioned)),
      ...this.#order.order.lines,
      ...serverOptionLines(servers, writers),
    ];
    const left = config.keys[0];
    if (left !== undefined) {
      throw inexpressible(config.pathOf(left), "there is no option for it");
    }
    for (const app of apps?.keys ?? []) {
      const write = app === "events" ? eventLines : writers.optionWriterOf(app);
      const members = apps?.child(app);
      if (write === undefined || members === undefined) {
        throw inexpressible(`/config/apps/${app}`, "there is no option for the app");
      }
      lines.push(...write(members, writers.matcherLines));
    }
    return lines;
  }
}

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
