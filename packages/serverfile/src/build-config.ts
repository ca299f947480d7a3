import { errorWithin, ServerError } from "server-core/errors";
import type { FileState } from "./directives/directive.ts";
import { readRoutes, sortedAs } from "./directives/read-block.ts";
import { applyServerOptions, type BuiltServer } from "./global-options/apply-server-options.ts";
import { readGlobalOptions } from "./global-options/read-options.ts";
import type { Segment } from "./lexer/token.ts";
import { TokenCursor } from "./lexer/token-cursor.ts";
import { readNamedMatcher } from "./matchers/named-matcher.ts";
import type { SiteBlock } from "./parse/site-block.ts";
import { NamedRoutes } from "./routes/named-routes.ts";
import { GroupNames, type Route, subrouteHandler } from "./routes/route.ts";
import type { DirectiveResult, Placed } from "./routes/site-results.ts";
import { buildLogging } from "./servers/build-logging.ts";
import { buildServer } from "./servers/build-servers.ts";
import type { GlobalOptions } from "./sites/global-options.ts";
import { groupByListeners, type ServerSites } from "./sites/listeners.ts";
import type { ReadSite } from "./sites/site.ts";
import { sortSites } from "./sites/sort-sites.ts";
import type { TextFeatures } from "./text-features.ts";
import { buildPkiApp } from "./tls/pki-app.ts";
import { buildTlsApp } from "./tls/tls-app.ts";
import { type Draft, isEmptyDraft, onlyGiven, setMember } from "./values/draft.ts";
import { expandTokens } from "./values/shorthands.ts";

/** Initial state of a text; counters start at 0. */
function newState(): FileState {
  return { certificateTags: new Map(), logCount: 0, upstreamCount: 0, invoked: new Set() };
}

/** The files that contain a block's directives, sorted. */
function filesOf(block: SiteBlock): string[] {
  const files = new Set<string>();
  let last: string | undefined;
  for (const segment of block.segments) {
    for (const { file } of segment) {
      if (file !== last) {
        files.add(file);
        last = file;
      }
    }
  }
  return [...files].sort();
}

/**
 * Refuses a directive at the top level, such as `respond { … }`, because its name would be read as a site's address.
 * @throws ServerError CONFIG_ADAPTER
 */
function refuseKeysThatAreDirectives(blocks: readonly SiteBlock[], features: TextFeatures): void {
  for (const { keys } of blocks) {
    for (const { text, file, line } of keys) {
      if (features.has(text)) {
        throw new ServerError(
          "CONFIG_ADAPTER",
          `${file}:${line}: parsed '${text}' as a site address, but it is a known directive; directives must appear in a site block`,
          { place: { file, line, word: text } },
        );
      }
    }
  }
}

/**
 * Reads blocks `&(name) { … }`. A single handler without a matcher becomes the route itself; other contents become a
 * subroute.
 * @throws ServerError CONFIG_ADAPTER
 */
function readNamedRoutes(
  blocks: readonly SiteBlock[],
  options: GlobalOptions,
  features: TextFeatures,
): NamedRoutes {
  const named = new NamedRoutes();
  const groups = new GroupNames();
  const state = newState();
  for (const block of blocks) {
    const routes = readRoutes(
      {
        cursor: new TokenCursor(expandTokens(block.segments.flat())),
        options,
        directives: features,
        matchers: new Map(),
        groups,
        state,
        files: filesOf(block),
        readModule: features.readModule,
      },
      true,
    );
    const [only] = routes;
    const [handler] = only?.handle ?? [];
    const isPlain = routes.length === 1 && only?.match === undefined && handler !== undefined;
    const route: Route = { handle: [isPlain ? handler : subrouteHandler(routes)] };
    named.add(block.keys[0]?.text ?? "", route, [...state.invoked]);
    state.invoked = new Set();
  }
  return named;
}

/**
 * The error for an unknown directive. Without braces, the word may be meant as a second address, so the message
 * contains a hint.
 */
function unknownDirective(block: SiteBlock, segment: Segment): ServerError {
  const [token] = segment;
  const hint = block.hasBraces
    ? ""
    : "\nDid you mean to define a second site? If so, you must use curly braces around each site to separate their configurations.";
  return new ServerError(
    "CONFIG_ADAPTER",
    `${token?.file}:${token?.line}: unrecognized directive: ${token?.text}${hint}`,
    { place: token && { file: token.file, line: token.line, word: token.text } },
  );
}

/** Values that all sites of a text share. */
interface SiteContext {
  readonly options: GlobalOptions;
  /** Names of route groups, numbered over all sites. */
  readonly groups: GroupNames;
  readonly state: FileState;
  readonly features: TextFeatures;
}

/**
 * Reads the directives of a site. Named matchers are read first, because a directive may use a matcher that is defined
 * below it.
 * @throws ServerError CONFIG_ADAPTER with the directive's name
 */
function readSite(block: SiteBlock, site: SiteContext): ReadSite {
  const { options, groups, state, features } = site;
  if (block.keys.length === 0) {
    const token = block.segments[0]?.[0];
    throw new ServerError(
      "CONFIG_ADAPTER",
      `server block without any key is global configuration, and if used, it must be first, at ${token?.file}:${token?.line}`,
    );
  }
  const segments = block.segments.map(expandTokens);
  const isMatcher = (segment: Segment) => segment[0]?.text.startsWith("@") === true;
  const matchers = new Map<string, Draft>();
  for (const segment of segments.filter(isMatcher)) {
    readNamedMatcher(new TokenCursor(segment), matchers, features.readModule);
  }
  const files = filesOf(block);
  const results: Placed<DirectiveResult>[] = [];
  state.invoked = new Set();
  for (const segment of segments) {
    if (isMatcher(segment)) {
      continue;
    }
    const name = segment[0]?.text ?? "";
    const directive = features.get(name);
    if (directive === undefined) {
      throw unknownDirective(block, segment);
    }
    const cursor = new TokenCursor(segment);
    const context = {
      cursor,
      options,
      directives: features,
      matchers,
      groups,
      state,
      files,
      readModule: features.readModule,
    };
    try {
      for (const result of directive(context)) {
        results.push({ directive: sortedAs(name), result });
      }
    } catch (error) {
      throw errorWithin(`parsing serverfile tokens for '${name}'`, error);
    }
  }
  return { block, results, invoked: state.invoked };
}

/** Builds the app `http`. Metrics by host are enabled by the global option or by the options of any server. */
function buildHttpApp(servers: readonly BuiltServer[], options: GlobalOptions): Draft {
  const perHost = servers.map(({ metricsPerHost }) => metricsPerHost).filter((each) => each !== undefined);
  const metrics =
    perHost.length === 0
      ? options.metrics
      : onlyGiven({ per_host: options.metrics?.per_host === true || perHost.includes(true) });
  const byName: Draft = {};
  for (const { name, draft } of servers) {
    setMember(byName, name, draft);
  }
  return onlyGiven({
    http_port: options.httpPort,
    https_port: options.httpsPort,
    grace_period: options.gracePeriod,
    shutdown_delay: options.shutdownDelay,
    metrics,
    servers: byName,
  });
}

/** Builds the member `admin`, including `persist_config off`; undefined without both options. */
function buildAdmin(options: GlobalOptions): Draft | undefined {
  if (options.persistsConfig === false) {
    return { ...options.admin, config: { persist: false } };
  }
  return options.admin;
}

/**
 * Builds servers `srv0`, `srv1` and so on, in the order of their listen addresses. `servers` options may rename them.
 */
function buildServers(
  groups: readonly ServerSites[],
  options: GlobalOptions,
  names: GroupNames,
  named: NamedRoutes,
) {
  const servers = groups.map((group, index) => ({
    name: `srv${index}`,
    draft: buildServer(group, options, names, named),
    metricsPerHost: undefined,
  }));
  return applyServerOptions(servers, options);
}

/** The lines of the block without an address (global options); undefined when the text has none. */
export function globalSegments([first]: readonly SiteBlock[]): readonly Segment[] | undefined {
  return first !== undefined && first.keys.length === 0 ? first.segments : undefined;
}

/**
 * Builds the JSON config from a serverfile's blocks.
 * @throws ServerError CONFIG_ADAPTER
 * Source: Caddy 2.11, observed output
 */
export function buildConfig(blocks: readonly SiteBlock[], features: TextFeatures): Draft {
  refuseKeysThatAreDirectives(blocks, features);
  const global = globalSegments(blocks);
  const options = readGlobalOptions(global ?? [], features);
  const others = global === undefined ? blocks : blocks.slice(1);
  const named = readNamedRoutes(
    others.filter(({ isNamedRoute }) => isNamedRoute),
    options,
    features,
  );
  const names = new GroupNames();
  const state = newState();
  const sites = others
    .filter(({ isNamedRoute }) => !isNamedRoute)
    .map((block) => readSite(block, { options, groups: names, state, features }));
  const groups = groupByListeners(sites, options).map((group) => ({
    ...group,
    sites: sortSites(group.sites),
  }));
  const servers = buildServers(groups, options, names, named);
  const tls = buildTlsApp(groups, options);
  const pki = buildPkiApp(groups, options);
  const apps = onlyGiven({
    events: options.events,
    http: servers.length === 0 ? undefined : buildHttpApp(servers, options),
    tls: isEmptyDraft(tls) ? undefined : tls,
    pki: isEmptyDraft(pki) ? undefined : pki,
    ...options.apps,
  });
  return onlyGiven({
    modules: options.modules,
    admin: buildAdmin(options),
    logging: buildLogging(groups, options),
    storage: options.storage,
    apps: isEmptyDraft(apps) ? undefined : apps,
  });
}
