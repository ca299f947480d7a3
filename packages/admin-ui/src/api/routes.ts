import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

const route = z.object({
  at: z.string(),
  server: z.string(),
  kind: z.string(),
  hosts: z.array(z.string()),
  host_count: z.number(),
  paths: z.array(z.string()),
  path_count: z.number(),
  matchers: z.array(z.string()),
  handlers: z.array(z.string()),
  upstreams: z.array(z.string()),
  upstream_count: z.number(),
  /** Upstreams that fail an active check. */
  unhealthy_upstreams: z.number(),
  requests_per_second: z.nullable(z.number()),
  errors_per_second: z.nullable(z.number()),
  timed: z.number(),
  p95_ms: z.nullable(z.number()),
});

/** A route of the running config, and its requests of the last half minute. */
export type HttpRoute = z.infer<typeof route>;

export const routeOrders = ["rate", "errors", "p95", "host", "config"] as const;

/** Which routes are asked for. */
export interface RoutesAsked extends ListAsked {
  order: (typeof routeOrders)[number];
}

/** A page of the routes, anew every two seconds. */
export function routesQuery(asked: RoutesAsked) {
  return queryOptions({
    queryKey: ["routes", asked],
    queryFn: ({ signal }) =>
      askList(`/http/routes?${listParameters(asked, { order: asked.order })}`, route, { signal }),
    refetchInterval: 2_000,
  });
}
