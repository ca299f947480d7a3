import type { HttpMatcher } from "./handler.ts";

/** The part of a route that the index uses. */
export interface IndexedRoute {
  /** Hosts that the matchers of the route name, from {@link hostsOf}. */
  readonly hosts: readonly string[] | undefined;
}

/** The last index of a list, by the first route of the list. */
const known = new WeakMap<IndexedRoute, RouteIndex>();

function sameHosts(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === b) {
    return true;
  }
  return (
    a !== undefined &&
    b !== undefined &&
    a.length === b.length &&
    a.every((host, position) => host === b[position])
  );
}

/**
 * Minimum number of routes with hosts for an index. With fewer routes, checking them one by one is as fast as an index.
 */
const fewestRoutes = 8;

/** The hosts to which a route is limited; undefined when its matchers do not limit the host. */
export function hostsOf(matcherSets: readonly (readonly HttpMatcher[])[]): readonly string[] | undefined {
  const [first] = matcherSets;
  if (first === undefined) {
    return undefined;
  }
  if (matcherSets.length === 1 && first.length === 1) {
    return first[0]?.exactHosts;
  }
  const hosts: (readonly string[])[] = [];
  for (const set of matcherSets) {
    const exact = set.find(({ exactHosts }) => exactHosts !== undefined)?.exactHosts;
    if (exact === undefined) {
      return undefined;
    }
    hosts.push(exact);
  }
  return hosts.flat();
}

/**
 * Finds the routes that may match a host, in order: routes that name the host, and routes without hosts. With a
 * thousand routes of one host each, a request checks only two routes.
 */
export class RouteIndex {
  readonly #byHost = new Map<string, number[]>();
  /** For each position, the next position, this one included, of a route that is not limited to hosts. */
  readonly #nextUnbound: Int32Array;
  /** The hosts of each route, from which the index was built. */
  readonly #hosts: readonly IndexedRoute["hosts"][];

  private constructor(routes: readonly IndexedRoute[]) {
    this.#hosts = routes.map(({ hosts }) => hosts);
    this.#nextUnbound = new Int32Array(routes.length + 1);
    this.#nextUnbound[routes.length] = routes.length;
    for (let position = routes.length - 1; position >= 0; position--) {
      this.#nextUnbound[position] =
        routes[position]?.hosts === undefined ? position : (this.#nextUnbound[position + 1] ?? 0);
    }
    for (const [position, { hosts }] of routes.entries()) {
      for (const name of hosts ?? []) {
        const positions = this.#byHost.get(name);
        if (positions === undefined) {
          this.#byHost.set(name, [position]);
        } else if (positions.at(-1) !== position) {
          positions.push(position);
        }
      }
    }
  }

  /**
   * The last index is reused when the hosts are the same: most config changes do not change hosts.
   * @returns undefined when fewer than {@link fewestRoutes} routes name hosts
   */
  static of(routes: readonly IndexedRoute[]): RouteIndex | undefined {
    const [first] = routes;
    if (first === undefined || routes.length < fewestRoutes) {
      return undefined;
    }
    const older = known.get(first);
    if (older?.isFor(routes) === true) {
      return older;
    }
    const bound = routes.reduce((count, { hosts }) => count + (hosts === undefined ? 0 : 1), 0);
    if (bound < fewestRoutes) {
      return undefined;
    }
    const index = new RouteIndex(routes);
    known.set(first, index);
    return index;
  }

  private isFor(routes: readonly IndexedRoute[]): boolean {
    return (
      routes.length === this.#hosts.length &&
      routes.every(({ hosts }, position) => sameHosts(hosts, this.#hosts[position]))
    );
  }

  /** The first position, from `start` on, whose route can match; the number of routes when no route can. */
  next(start: number, host: string): number {
    const unbound = this.#nextUnbound[start] ?? start;
    const positions = this.#byHost.get(host);
    if (positions === undefined) {
      return unbound;
    }
    for (const position of positions) {
      if (position >= start) {
        return Math.min(position, unbound);
      }
    }
    return unbound;
  }
}
