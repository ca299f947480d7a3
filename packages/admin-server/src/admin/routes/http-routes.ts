import { type RouteReading, routeFiguresTopic } from "http-engine/route-figures";
import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { listPageOf, pageOf } from "server-core/admin/list-page";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { SharedState } from "server-core/threads/shared-state";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { activeHealthPrefix } from "server-modules/handlers/reverse-proxy/active-health";
import { type DescribedRoute, describeRoutes } from "./describe-routes.ts";
import { type RouteTraffic, RouteWindow } from "./route-window.ts";

/** Maximum number of hosts, paths and upstreams that an entry names; further ones are only counted. */
const mostNamed = 5;

/** A route and its traffic. */
interface SeenRoute extends DescribedRoute {
  /** Traffic of the route; undefined at the first reading, which has no earlier reading to compare with. */
  readonly traffic: RouteTraffic | undefined;
  /** Number of the route's upstreams with a failed check. */
  readonly unhealthy: number;
}

/** Addresses with a failed active check of any proxy. */
function unhealthyUpstreams(shared: SharedState): Set<string> {
  const failing = shared.list(activeHealthPrefix).filter(({ count }) => count % 2 === 1);
  return new Set(
    failing.map(({ name }) => {
      const rest = name.slice(activeHealthPrefix.length);
      return rest.slice(rest.indexOf("/") + 1);
    }),
  );
}

const compareTexts = (a: string | undefined, b: string | undefined) =>
  (a ?? "").localeCompare(b ?? "", "en", { numeric: true });

/** Sort orders of the list. Equal routes keep the order of the config. */
const orders: Readonly<Record<string, (a: SeenRoute, b: SeenRoute) => number>> = {
  config: () => 0,
  host: (a, b) => compareTexts(a.hosts[0], b.hosts[0]) || compareTexts(a.paths[0], b.paths[0]),
  rate: (a, b) => (b.traffic?.perSecond ?? -1) - (a.traffic?.perSecond ?? -1),
  errors: (a, b) => (b.traffic?.errorsPerSecond ?? -1) - (a.traffic?.errorsPerSecond ?? -1),
  p95: (a, b) => (b.traffic?.p95Ms ?? -1) - (a.traffic?.p95Ms ?? -1),
};

/** The requested sort order. @throws ServerError ADMIN_REQUEST for an unknown order */
function orderOf(query: URLSearchParams): (a: SeenRoute, b: SeenRoute) => number {
  const name = query.get("order") ?? "config";
  const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
  if (order === undefined) {
    const known = Object.keys(orders).join(", ");
    throw new ServerError("ADMIN_REQUEST", `order is none of ${known}: '${name.slice(0, 40)}'`);
  }
  return order;
}

/** Joins the texts of a route that `contains` searches. */
function searchText({ server, kind, hosts, paths, others, handlers, upstreams }: SeenRoute): string {
  return [server, kind, ...hosts, ...paths, ...others, ...handlers, ...upstreams].join(" ");
}

/** Rounds to three decimals; more would only lengthen responses. */
const rounded = (figure: number) => Math.round(figure * 1_000) / 1_000;

/** A route in the form of the response. `null` marks unknown figures. */
function entryOf(route: SeenRoute): JsonValue {
  const { at, server, kind, hosts, paths, others, handlers, upstreams, unhealthy, traffic } = route;
  return {
    ...{ at, server, kind },
    ...{ hosts: hosts.slice(0, mostNamed), host_count: hosts.length },
    ...{ paths: paths.slice(0, mostNamed), path_count: paths.length },
    ...{ matchers: [...others], handlers: [...handlers] },
    ...{ upstreams: upstreams.slice(0, mostNamed), upstream_count: upstreams.length },
    unhealthy_upstreams: unhealthy,
    requests_per_second: traffic === undefined ? null : rounded(traffic.perSecond),
    errors_per_second: traffic === undefined ? null : rounded(traffic.errorsPerSecond),
    timed: traffic?.timed ?? 0,
    p95_ms: traffic?.p95Ms === undefined ? null : rounded(traffic.p95Ms),
  };
}

/** Traffic of a route without requests. */
const idle: RouteTraffic = { perSecond: 0, errorsPerSecond: 0, timed: 0, p95Ms: undefined };

/**
 * `GET /http/routes`: the routes of the running config; if a client polls, with their traffic in the last half minute.
 * Accepts `contains`, `order`, `limit` and `offset`.
 */
export function httpRoutesRoute(
  engine: ConfigEngine,
  messages: ThreadMessages,
  shared: SharedState,
): AdminRoute {
  const window = new RouteWindow();
  let described: { config: JsonValue; routes: readonly DescribedRoute[] } | undefined;
  const routesNow = () => {
    const { config } = engine;
    if (described?.config !== config) {
      described = { config, routes: describeRoutes(config) };
    }
    return described.routes;
  };
  return {
    path: "/http/routes",
    async handle(request) {
      requireMethod(request, "GET");
      const asked = listPageOf(request.query);
      const order = orderOf(request.query);
      const threads = (await messages.askServing(routeFiguresTopic, null)) as RouteReading[][];
      const traffic = window.take(threads, performance.now());
      const unhealthy = unhealthyUpstreams(shared);
      const routes = routesNow().map((route): SeenRoute => {
        return {
          ...route,
          traffic: traffic === undefined ? undefined : (traffic.get(route.key) ?? idle),
          unhealthy: route.upstreams.filter((upstream) => unhealthy.has(upstream)).length,
        };
      });
      const { page, headers } = pageOf(routes.toSorted(order), asked, searchText);
      const reply = jsonReply(200, page.map(entryOf));
      return { ...reply, headers: { ...reply.headers, ...headers } };
    },
  };
}
