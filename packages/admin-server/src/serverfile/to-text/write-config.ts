import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json/json-value.ts";
import { allChoices, type Choices } from "./choices.ts";
import { type ConfigDraft, frozen, unservedSite } from "./config-draft.ts";
import { inexpressible } from "./inexpressible.ts";
import { type Line, line } from "./lines/line.ts";
import { NamedMatchers } from "./matchers/named-matchers.ts";
import { Members } from "./members.ts";
import { serverOptionLines } from "./options/server-options.ts";
import {
  adminLines,
  authorityLines,
  autoHttpsLines,
  certificateOptionLines,
  httpAppLines,
  isDebug,
  logOptionLines,
  sniLines,
  storageLines,
} from "./options/write-options.ts";
import { DirectiveOrder, OrderNeeds } from "./routes/order-needs.ts";
import { inReadingOrder, RouteBlock, type Statement } from "./routes/route-block.ts";
import { RouteWriter } from "./routes/write-routes.ts";
import { AccessLogs } from "./sites/access-logs.ts";
import { addressText, isPlainOnSockets, siteKeys, type UsualPorts } from "./sites/addresses.ts";
import { automatedNames, CertificateLines, objectsOf } from "./sites/certificates.ts";
import { errorCodes } from "./sites/error-codes.ts";
import { hasHiddenSites, withHiddenSites } from "./sites/hidden-sites.ts";
import { mergeSites } from "./sites/merge-sites.ts";
import { readServers, readServersWith } from "./sites/read-servers.ts";
import { hostsOfDraft, isForAnyHost, type ServerDraft, type SiteDraft } from "./sites/site-draft.ts";

/** A site as text: sites that are the same in several servers are one. */
interface SiteText {
  readonly sites: readonly SiteDraft[];
  readonly block: RouteBlock;
  readonly keys: readonly string[];
  /** Lines that are no routes: where it listens, certificates, logs. */
  readonly head: readonly Line[];
  readonly groups: number;
  readonly firstGroup: number | undefined;
}

/** Everything that was read of the config, for one way to write it. */
class ConfigWriter {
  readonly #config: Members;
  readonly #choices: Choices;
  readonly #order: OrderNeeds;
  readonly #hiddenFile: string;
  readonly #ports: UsualPorts;
  readonly #http: Members | undefined;
  readonly #tls: Members | undefined;

  constructor(config: JsonValue, choices: Choices, order: DirectiveOrder, hiddenFile: string) {
    this.#config = new Members(config, "/config");
    this.#choices = choices;
    this.#order = new OrderNeeds(order);
    this.#hiddenFile = hiddenFile;
    const apps = this.#config.child("apps");
    this.#http = apps?.child("http");
    this.#tls = apps?.child("tls");
    const ports = usualPortsOf(config);
    this.#ports = { ...ports, namesScheme: choices.namesScheme };
  }

  get betterOrder(): DirectiveOrder | undefined {
    return this.#order.better();
  }

  draft(): ConfigDraft {
    const logs = this.#logs();
    const tlsJson = this.#tls === undefined ? {} : jsonOf(this.#config, "apps", "tls");
    const given = this.#http?.child("servers");
    const { servers, sites: shown } = readServersWith(tlsJson, given, this.#ports);
    const sites = withHiddenSites(
      shown,
      servers,
      this.#choices.hiddenAnyHost,
      this.#ports,
      automatedNames(tlsJson),
    );
    const makeCertificates = () => new CertificateLines(tlsJson, this.#ports, this.#choices, sites);
    let certificates = makeCertificates();
    const bind = this.#commonBind(servers);
    const groups = mergeSites(sites, this.#choices.merging);
    const written = (given: readonly (readonly SiteDraft[])[]) => {
      const accessLogs = new AccessLogs(logs, isDebug(logs), given);
      return given.map((group, index) =>
        this.#site(group, sites, accessLogs, certificates, bind, index === given.length - 1),
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
    for (const { block, groups: count } of ordered) {
      block.arrange(next);
      next += count;
    }
    const named = this.#namedRoutes(servers);
    const options = this.#options(servers, logs, certificates, bind);
    return {
      options,
      named: named.map(([name, block]) => ({ words: [`&(${name})`], block: frozen(block.lines) })),
      sites: [
        ...certificates
          .unloadedPairs(servers)
          .map((pair, index) => unservedSite(index, [line("tls", ...pair)], [])),
        ...ordered.map(({ keys, head, block }) => ({
          keys,
          head: frozen(head),
          body: frozen(block.lines),
        })),
      ],
    };
  }

  #logs(): JsonObject {
    const logging = this.#config.child("logging");
    const logs = logging?.take("logs");
    logging?.done("logging");
    return isJsonObject(logs) ? logs : {};
  }

  /** The addresses that all servers have. */
  #commonBind(servers: readonly ServerDraft[]): ServerDraft["listening"]["binds"] | undefined {
    const [first, ...others] = servers;
    const binds = first?.listening.binds;
    const isUsual = binds?.length === 1 && binds[0]?.address === "" && binds[0].protocols.length === 0;
    const isCommon = others.every(
      ({ listening }) => JSON.stringify(listening.binds) === JSON.stringify(binds),
    );
    return this.#choices.defaultBind && binds !== undefined && !isUsual && isCommon ? binds : undefined;
  }

  #site(
    group: readonly SiteDraft[],
    sites: readonly SiteDraft[],
    accessLogs: AccessLogs,
    certificates: CertificateLines,
    common: ServerDraft["listening"]["binds"] | undefined,
    isLast: boolean,
  ): SiteText {
    const [site] = group;
    if (site === undefined) {
      throw new RangeError("a group of sites has one at least");
    }
    const matchers = new NamedMatchers();
    const writer = new RouteWriter(matchers, this.#hiddenFile, this.#order);
    const main = writer.sorted(site.routes, site.routesPath);
    const errors = this.#errors(site, writer);
    const statements = this.#choices.errorsFirst
      ? [...errors, ...main.statements]
      : [...main.statements, ...errors];
    const tls = certificates.linesFor(group, common !== undefined);
    const binds = common === undefined ? bindLines(group, tls.bindHost) : [];
    const head = [
      ...binds,
      ...tls.lines,
      ...accessLogs.linesFor(group),
      ...(isLast ? accessLogs.rest() : []),
    ];
    const block = new RouteBlock(statements, true, matchers.definitions);
    const ported = group.filter(({ server }) => server.listening.port !== undefined);
    const plainSockets = isPlainOnSockets(group) ? group.filter((each) => !each.server.hasPolicies) : group;
    const told = ported.length > 0 ? ported : plainSockets;
    const own = inSocketOrder(
      told.flatMap((each) =>
        siteKeys(each, this.#ports, group).map((key, index) => ({ key, host: each.addresses[index]?.host })),
      ),
      group,
    );
    const repetitions = (name: string) =>
      sites.filter(({ server, addresses }) => {
        return server === site.server && addresses.some(({ host, path }) => host === name && path === "");
      }).length;
    const isHere = (each: SiteDraft) => each.server === site.server;
    const shown = new Set(sites.filter(isHere).flatMap(hostsOfDraft));
    const plain = sites.filter(isHere).find(isForAnyHost) === site ? site.server.plainHosts : [];
    const silent = sites.filter(isHere).find(isForAnyHost) === site ? hostsWithoutLogs(site.server) : [];
    const hidden = [...new Set([...tls.names, ...plain, ...silent])];
    const extra = hidden
      .filter((name) => tls.names.includes(name) || !shown.has(name))
      .map((name) => addressText(site.server, name, "", this.#ports, repetitions(name)));
    const keys = [...new Set([...own, ...extra])];
    return { sites: group, block, keys, head, groups: block.innerGroups, firstGroup: block.firstInnerGroup };
  }

  #errors(site: SiteDraft, writer: RouteWriter): Statement[] {
    if (site.errors === undefined) {
      return [];
    }
    const list = new Members({ routes: site.errors }, site.errorsPath).children("routes") ?? [];
    return list.map((route, index): Statement => {
      const path = `${site.errorsPath}/${index}`;
      const codes = errorCodes(route.take("match"));
      if (codes === undefined) {
        throw inexpressible(`${path}/match`, "handle_errors matches by status codes only");
      }
      const [handler, more] = route.children("handle") ?? [];
      route.done("handle_errors");
      if (handler === undefined || more !== undefined || handler.text("handler") !== "subroute") {
        throw inexpressible(`${path}/handle`, "handle_errors is one subroute");
      }
      const block = writer.sorted(handler.take("routes"), `${path}/handle/0/routes`);
      handler.done("handle_errors");
      const line = { words: ["handle_errors", ...codes], block };
      return {
        directive: "handle_errors",
        line,
        blocks: [block],
        ownGroups: 0,
        firstGroup: undefined,
        isRoute: false,
      };
    });
  }

  /** Routes that servers share by name, in the order in which they were read. */
  #namedRoutes(servers: readonly ServerDraft[]): [string, RouteBlock][] {
    const byName = new Map<string, JsonValue>();
    const paths = new Map<string, string>();
    for (const { members } of servers) {
      const named = members.child("named_routes");
      for (const [name, route] of named?.entries() ?? []) {
        const known = byName.get(name);
        const path = `${members.pathOf("named_routes")}/${name}`;
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(route)) {
          throw inexpressible(path, "a named route is the same in all servers");
        }
        byName.set(name, route);
        paths.set(name, path);
      }
    }
    const blocks = [...byName].map(([name, route]) => {
      const block = this.#namedRoute(route, paths.get(name) ?? "");
      return { name, block, groups: block.groups, firstGroup: block.firstGroup };
    });
    let next = 0;
    return inReadingOrder(blocks, 0).map(({ name, block, groups }) => {
      block.arrange(next);
      next += groups;
      return [name, block];
    });
  }

  #namedRoute(route: JsonValue, path: string): RouteBlock {
    const members = new Members(route, path);
    const handlers = members.list("handle") ?? [];
    members.done("a named route");
    const [only, more] = handlers;
    const matchers = new NamedMatchers();
    const writer = new RouteWriter(matchers, this.#hiddenFile, this.#order);
    const isList = more === undefined && isJsonObject(only) && only.handler === "subroute";
    const block = isList
      ? writer.sorted(only.routes, `${path}/handle/0/routes`)
      : writer.sorted([{ handle: handlers }], path);
    const placed = new RouteBlock(block.statements, true, matchers.definitions);
    placed.listFirstGroup = block.listFirstGroup;
    return placed;
  }

  #options(
    servers: readonly ServerDraft[],
    logs: JsonObject,
    certificates: CertificateLines,
    bind: ServerDraft["listening"]["binds"] | undefined,
  ): Line[] {
    const config = this.#config;
    const text = JSON.stringify(jsonOf(config, "apps", "http"));
    const mentioned = (id: string) => text.includes(`"ca":${JSON.stringify(id)}`);
    const lines = [
      ...adminLines(config.child("admin")),
      ...logOptionLines(logs),
      ...storageLines(config.child("storage")),
      ...httpAppLines(this.#http),
      ...zeroPortLines(this.#ports),
      ...(bind === undefined ? [] : bindLinesOf("default_bind", bind)),
      ...sniLines(servers),
      ...autoHttpsLines(servers),
      ...certificateOptionLines(this.#tls, certificates, this.#ports, this.#choices),
      ...authorityLines(config.child("apps")?.child("pki"), mentioned),
      ...this.#order.order.lines,
      ...serverOptionLines(servers, expectedNames(servers)),
    ];
    const left = config.keys[0];
    if (left !== undefined) {
      throw inexpressible(config.pathOf(left), "there is no option for it");
    }
    const apps = config.child("apps");
    const events = apps?.look("events");
    if (isJsonObject(events) && Object.keys(events).length === 0) {
      apps?.take("events");
      lines.push(line("events"));
    }
    const [app] = apps?.keys ?? [];
    if (app !== undefined) {
      throw inexpressible(`/config/apps/${app}`, "there is no option for the app");
    }
    return lines;
  }
}

/** Moves sites whose pairs of files are numbered otherwise, if no number of a group holds them where they are. */
function inCertificateOrder(
  texts: readonly SiteText[],
  numberOf: (text: SiteText) => number | undefined,
): SiteText[] {
  const result = [...texts];
  for (const text of texts) {
    const number = numberOf(text);
    const at = result.indexOf(text);
    const later = result.findIndex((other) => (numberOf(other) ?? -1) > (number ?? Number.POSITIVE_INFINITY));
    const [before] = result.slice(later, later + 1);
    const isCounted = result.slice(0, at).some((other) => numberOf(other) === number);
    if (later === -1 || later > at || before === undefined || isCounted) {
      continue;
    }
    if (text.groups === 0) {
      result.splice(at, 1);
      result.splice(later, 0, text);
    } else if (before.groups === 0) {
      result.splice(later, 1);
      result.splice(at, 0, before);
    }
  }
  return result;
}

/** Addresses in the order of the hosts of a socket without a port, which has those of every port. */
function inSocketOrder(
  keys: readonly { readonly key: string; readonly host: string | undefined }[],
  group: readonly SiteDraft[],
): string[] {
  const all = group.find(({ server }) => server.listening.port === undefined);
  const hosts = all === undefined ? [] : all.addresses.map(({ host }) => host);
  const placeOf = (host: string | undefined) => (host === undefined ? -1 : hosts.indexOf(host));
  return [...keys].sort((a, b) => placeOf(a.host) - placeOf(b.host)).map(({ key }) => key);
}

/** Hosts that a server keeps no log for, on its port. */
function hostsWithoutLogs({ members, listening: { port } }: ServerDraft): string[] {
  const logs = members.look("logs");
  const skipped = isJsonObject(logs) && Array.isArray(logs.skip_hosts) ? logs.skip_hosts : [];
  const ending = port === undefined || port === 80 || port === 443 ? "" : `:${port}`;
  return skipped.flatMap((host) =>
    typeof host === "string" && host.endsWith(ending) ? [host.slice(0, host.length - ending.length)] : [],
  );
}

/** The names that servers get without an option: `srv0` and so on, by their addresses. */
function expectedNames(servers: readonly ServerDraft[]): string[] {
  const ordered = [...servers].sort((a, b) => ((a.listen[0] ?? "") < (b.listen[0] ?? "") ? -1 : 1));
  return servers.map((server) =>
    /^srv\d+$/.test(server.name) ? server.name : `srv${ordered.indexOf(server)}`,
  );
}

function jsonOf(members: Members, ...keys: readonly string[]): JsonObject {
  let value: JsonValue | undefined = members.look(keys[0] ?? "");
  for (const key of keys.slice(1)) {
    value = isJsonObject(value) ? value[key] : undefined;
  }
  return isJsonObject(value) ? value : {};
}

/**
 * Which of the usual ports is 0: it stands nowhere then, but issuers' challenges have an empty object for it.
 */
export function zeroPorts(config: JsonValue): { http: boolean; https: boolean } {
  const { automation } = jsonOf(new Members(config, "/config"), "apps", "tls");
  const policies = isJsonObject(automation) ? objectsOf(automation.policies) : [];
  const challenges = policies
    .flatMap(({ issuers }) => objectsOf(issuers))
    .map((issuer) => (isJsonObject(issuer.challenges) ? issuer.challenges : {}));
  const isZero = (name: string) => challenges.some((each) => JSON.stringify(each[name]) === "{}");
  return { http: isZero("http"), https: isZero("tls-alpn") };
}

/** The ports that a config's addresses have without saying so. */
export function usualPortsOf(config: JsonValue): UsualPorts {
  const members = new Members(config, "/config");
  const http = jsonOf(members, "apps", "http");
  const port = (key: string, usual: number) => {
    const given = http[key];
    return typeof given === "number" && given !== 0 ? given : usual;
  };
  const zero = zeroPorts(config);
  return {
    http: port("http_port", zero.http ? 0 : 80),
    https: port("https_port", zero.https ? 0 : 443),
    namesScheme: false,
  };
}

/** Whether a policy names certificates and says nothing else. */
function hasPlainPolicies({ automation, certificates }: JsonObject): boolean {
  const policies = isJsonObject(automation) && Array.isArray(automation.policies) ? automation.policies : [];
  const automated = JSON.stringify(isJsonObject(certificates) ? (certificates.automate ?? []) : []);
  return policies.some(
    (policy) =>
      isJsonObject(policy) &&
      Object.keys(policy).join() === "subjects" &&
      JSON.stringify(policy.subjects) !== automated,
  );
}

/** The usual ports that no member of the config tells of. */
function zeroPortLines({ http, https }: UsualPorts): Line[] {
  return [...(http === 0 ? [line("http_port", "0")] : []), ...(https === 0 ? [line("https_port", "0")] : [])];
}

/** `bind` or `default_bind`: a line for each set of protocols. */
function bindLinesOf(name: string, binds: ServerDraft["listening"]["binds"]): Line[] {
  const byProtocols = new Map<string, { addresses: string[]; protocols: readonly string[] }>();
  for (const { address, protocols } of binds) {
    const key = protocols.join(" ");
    const present = byProtocols.get(key) ?? { addresses: [], protocols };
    present.addresses.push(address);
    byProtocols.set(key, present);
  }
  return [...byProtocols.values()].map(({ addresses, protocols }) => ({
    words: [name, ...addresses],
    block: protocols.length === 0 ? undefined : [line("protocols", ...protocols)],
  }));
}

/** The `bind` lines of a site; none when it listens on every address. @param first the address that challenges use */
function bindLines(group: readonly SiteDraft[], first: string | undefined): Line[] {
  const all = group.flatMap(({ server }) => server.listening.binds);
  const binds = [
    ...all.filter(({ address }) => address === first),
    ...all.filter(({ address }) => address !== first),
  ];
  const distinct = binds.filter(
    ({ address, protocols }, index) =>
      binds.findIndex((other) => other.address === address && other.protocols.join() === protocols.join()) ===
      index,
  );
  const isUsual = distinct.every(({ address, protocols }) => address === "" && protocols.length === 0);
  return isUsual ? [] : bindLinesOf("bind", distinct);
}

/** Whether nothing is automated on a server: names that need certificates are not listed then. */
function hasNoCertificates({ members }: ServerDraft): boolean {
  const automatic = members.look("automatic_https");
  return isJsonObject(automatic) && (automatic.disable === true || automatic.disable_certificates === true);
}

/** What there is to choose when a config is written. @throws ServerError CONFIG_INEXPRESSIBLE */
export function choicesFor(config: JsonValue): Choices[] {
  const members = new Members(config, "/config");
  const tls = jsonOf(members, "apps", "tls");
  const { automation, certificates } = tls;
  const { servers, sites } = readServers(members.child("apps")?.child("http")?.child("servers"));
  return allChoices({
    hasPolicies: isJsonObject(automation) && objectsOf(automation.policies).length > 0,
    hasAutomatedNames:
      (isJsonObject(certificates) && certificates.automate !== undefined) || servers.some(hasNoCertificates),
    hasHiddenSites: hasHiddenSites(sites, servers),
    hasPlainPolicies: hasPlainPolicies(tls),
    hasGroupedErrors: sites.some(
      ({ errors }) => errors !== undefined && JSON.stringify(errors).includes('"group":'),
    ),
  });
}

/**
 * One way to write a config.
 * @param hiddenFile the file that the text is thought to be in
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function writeConfig(config: JsonValue, choices: Choices, hiddenFile: string): ConfigDraft {
  const first = new ConfigWriter(config, choices, new DirectiveOrder(), hiddenFile);
  const draft = first.draft();
  const order = first.betterOrder;
  return order === undefined ? draft : new ConfigWriter(config, choices, order, hiddenFile).draft();
}
