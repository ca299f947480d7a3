import { ServerError } from "server-core/errors";
import { type Draft, sameJson } from "../values/draft.ts";
import type { GroupNames, Route } from "./route.ts";
import { type DirectiveResult, isRouteResult, type Placed, type RouteResult } from "./site-results.ts";
import { positionsIn, sortRoutes } from "./sort-routes.ts";

/** Directives whose routes exclude each other: only the first matching route runs; groups are named in this order. */
const exclusive = ["handle", "rewrite", "root"];

/** Matchers in a form for comparing JSON. */
function asDrafts(match: readonly Draft[] | undefined): Draft[] | undefined {
  return match === undefined ? undefined : [...match];
}

/**
 * Merges neighboring routes with the same conditions into one route. `header A 1` and `header B 2` become one route
 * with two handlers.
 */
export function mergeRoutes(routes: readonly Route[]): Route[] {
  const merged: (Route & { handle: Draft[] })[] = [];
  for (const route of routes) {
    const last = merged.at(-1);
    if (
      last !== undefined &&
      last.terminal === route.terminal &&
      last.group === route.group &&
      sameMatch(last.match, route.match)
    ) {
      last.handle.push(...route.handle);
    } else {
      merged.push({ ...route, handle: [...route.handle] });
    }
  }
  return merged;
}

/** True when two routes have the same matchers. */
function sameMatch(a: Route["match"], b: Route["match"]): boolean {
  return a === b || (a?.length === b?.length && sameJson(asDrafts(a), asDrafts(b)));
}

/**
 * Names the groups of exclusive directives. A single `handle` or `root` needs no group; `rewrite` always has a group.
 */
function groupNames(
  routes: readonly Placed<RouteResult>[],
  groups: GroupNames,
): Map<string, string | undefined> {
  return new Map(
    exclusive.map((name) => {
      const count = routes.filter(({ directive }) => directive === name).length;
      return [name, count > 1 || name === "rewrite" ? groups.next() : undefined];
    }),
  );
}

/**
 * Builds the routes of a site or a block.
 * @param order order of directives; undefined: the order of the text stays
 * @throws ServerError CONFIG_ADAPTER for a directive that is missing in the order
 */
export function buildRoutes(
  results: readonly Placed<DirectiveResult>[],
  groups: GroupNames,
  order: readonly string[] | undefined,
): Route[] {
  const known = order === undefined ? undefined : positionsIn(order);
  const stray = known === undefined ? undefined : results.find(({ directive }) => !known.has(directive));
  if (stray !== undefined) {
    throw new ServerError(
      "CONFIG_ADAPTER",
      `directive '${stray.directive}' is not an ordered HTTP handler, so it cannot be used here - try placing within a route block or using the order global option`,
    );
  }
  // Results that are no routes are sorted too, as in Caddy, where all results of one directive have the same
  // rank.
  const sorted = (order === undefined ? results : sortRoutes(results, order)).filter(isRouteResult);
  const names = groupNames(sorted, groups);
  const routes = sorted.flatMap(({ directive, result }) => {
    if (result.kind === "routes") {
      return result.routes;
    }
    return names.has(directive) ? [{ ...result.route, group: names.get(directive) }] : [result.route];
  });
  return mergeRoutes(routes);
}
