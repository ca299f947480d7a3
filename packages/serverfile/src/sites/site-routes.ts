import { type Route, subrouteHandler } from "../routes/route.ts";
import type { Draft } from "../values/draft.ts";
import type { ServedSite } from "./site.ts";

/**
 * Matcher sets for a site's hosts and paths; empty when the site matches every request.
 * The keys `a.example/x`, `b.example/x` and `c.example` become
 * `[{ "host": ["a.example", "b.example"], "path": ["/x"] }, { "host": ["c.example"] }]`.
 */
export function siteMatchers({ addresses }: ServedSite): Draft[] {
  const hostsByPath = new Map<string, Set<string>>();
  let anyHost = false;
  for (const { host, path } of addresses) {
    const hosts = hostsByPath.get(path) ?? new Set();
    hostsByPath.set(path, hosts);
    if (host === "" && !anyHost) {
      hosts.clear();
      anyHost = true;
    }
    if (!anyHost) {
      hosts.add(host);
    }
  }
  return [...hostsByPath]
    .map(([path, hosts]): Draft => {
      return { ...(hosts.size > 0 && { host: [...hosts] }), ...(path !== "" && { path: [path] }) };
    })
    .filter((set) => Object.keys(set).length > 0);
}

/**
 * Wraps the routes of a site in a route for its hosts, unless the site is alone on its server and matches every
 * request.
 * @param matchers result of {@link siteMatchers}
 */
export function wrapSiteRoutes(
  routes: readonly Route[],
  matchers: readonly Draft[],
  isAlone: boolean,
): readonly Route[] {
  if (matchers.length === 0 && routes.length === 0) {
    return [];
  }
  const hasHostMatcher = routes.some(({ match }) => match?.some((set) => Object.hasOwn(set, "host")));
  if (matchers.length === 0 && isAlone && !hasHostMatcher) {
    return routes;
  }
  return [
    {
      match: matchers.length === 0 ? undefined : matchers,
      handle: routes.length === 0 ? [] : [subrouteHandler(routes)],
      terminal: true,
    },
  ];
}
