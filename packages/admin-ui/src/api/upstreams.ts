import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

const upstream = z.object({
  address: z.string(),
  num_requests: z.number(),
  fails: z.number(),
  healthy: z.boolean(),
  latency_ms: z.nullable(z.number()),
  last_response: z.nullable(z.string()),
  last_error: z.nullable(z.string()),
  last_error_time: z.nullable(z.string()),
  active_checks: z.array(
    z.object({ check: z.string(), healthy: z.boolean(), checked: z.boolean(), against: z.number() }),
  ),
});

/** A server behind proxies, as all threads see it. */
export type Upstream = z.infer<typeof upstream>;

/** The order of the list: by name, or the worst or largest first. */
export const upstreamOrders = ["trouble", "address", "requests", "fails", "latency"] as const;

/** Which servers behind proxies are asked for. */
export interface UpstreamsAsked extends ListAsked {
  order: (typeof upstreamOrders)[number];
}

/** The servers that need a look first: what the overview sums up. */
export const worstUpstreams: UpstreamsAsked = { order: "trouble", contains: "", page: 1 };

/** A page of the servers behind all proxies, anew every two seconds. */
export function upstreamsQuery(asked: UpstreamsAsked) {
  return queryOptions({
    queryKey: ["upstreams", asked],
    queryFn: ({ signal }) => {
      const parameters = listParameters(asked, { detail: "true", order: asked.order });
      return askList(`/reverse_proxy/upstreams?${parameters}`, upstream, { signal });
    },
    refetchInterval: 2_000,
  });
}
