import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

/**
 * An entry in the answer of `GET /http/routes`. Lists have at most five entries; the counts beside them are complete.
 */
const route = z.object({
  /** JSON pointer to the route in the config. It is also the key of the row. */
  at: z.string(),
  /** Name of the route's server. */
  server: z.string(),
  /** `errors` for an error route; the name of a named route; "" for all others. */
  kind: z.string(),
  /** Hosts that the route matches; empty for all. */
  hosts: z.array(z.string()),
  host_count: z.number(),
  /** Paths that the route matches; empty for all. */
  paths: z.array(z.string()),
  path_count: z.number(),
  /** Names of the route's other matchers. */
  matchers: z.array(z.string()),
  /** Names of the route's handlers, in order. */
  handlers: z.array(z.string()),
  /** Upstream addresses of the route's proxies. */
  upstreams: z.array(z.string()),
  upstream_count: z.number(),
  /** Number of upstreams with a failed active check. */
  unhealthy_upstreams: z.number(),
  /** Rate over the last half minute; null before the server has two readings. */
  requests_per_second: z.nullable(z.number()),
  /** Rate of 5xx responses, over the same period. */
  errors_per_second: z.nullable(z.number()),
  /** Number of requests behind the percentile. */
  timed: z.number(),
  /** 95th percentile in milliseconds, accurate to 13 %; null for fewer than 20 timed requests. */
  p95_ms: z.nullable(z.number()),
});

/** A route of the running config, and its traffic of the last half minute. */
export type HttpRoute = z.infer<typeof route>;

/** Sort orders of the list: the largest figure first, or by host, or as in the config. */
export const routeOrders = ["rate", "errors", "p95", "host", "config"] as const;

/** The requested page of routes. */
export interface RoutesAsked extends ListAsked {
  /** Sort order; the server sorts before it selects the page. */
  order: (typeof routeOrders)[number];
}

/** A page of the routes, refreshed every two seconds. */
export function routesQuery(asked: RoutesAsked) {
  return queryOptions({
    queryKey: ["routes", asked],
    queryFn: ({ signal }) =>
      askList(`/http/routes?${listParameters(asked, { order: asked.order })}`, route, { signal }),
    refetchInterval: 2_000,
  });
}
