import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

/** An entry in the answer of `GET /http/routes`. Lists name at most five; the counts beside them count all. */
const route = z.object({
  /** Pointer to the route in the config. It is also the key of the row. */
  at: z.string(),
  /** Name of the server that has it. */
  server: z.string(),
  /** `errors` for a route that answers when another fails; the name of a named route; "" for all others. */
  kind: z.string(),
  /** Hosts of the route's matchers; empty: all. */
  hosts: z.array(z.string()),
  host_count: z.number(),
  /** Paths of the route's matchers; empty: all. */
  paths: z.array(z.string()),
  path_count: z.number(),
  /** Names of the route's other matchers. */
  matchers: z.array(z.string()),
  /** Names of the route's handlers, in order. */
  handlers: z.array(z.string()),
  /** Addresses behind its proxies. */
  upstreams: z.array(z.string()),
  upstream_count: z.number(),
  /** Upstreams that fail an active check. */
  unhealthy_upstreams: z.number(),
  /** Rate over the last half minute; null before the server has two readings. */
  requests_per_second: z.nullable(z.number()),
  /** Rate of answers with 5xx, over the same time. */
  errors_per_second: z.nullable(z.number()),
  /** Requests that the percentile is taken from. */
  timed: z.number(),
  /** 95th percentile in milliseconds, right within 13 %; null with fewer than 20 timed requests. */
  p95_ms: z.nullable(z.number()),
});

/** A route of the running config, and its requests of the last half minute. */
export type HttpRoute = z.infer<typeof route>;

/** Orders of the list, as the server names them: the largest figure first, or by host, or as in the config. */
export const routeOrders = ["rate", "errors", "p95", "host", "config"] as const;

/** Which routes are asked for. */
export interface RoutesAsked extends ListAsked {
  /** The order; the server sorts before it cuts the page. */
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
