import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

/** An entry in the answer of `GET /reverse_proxy/upstreams?detail=true`. */
const upstream = z.object({
  /** Dial address: `10.0.0.7:8080`. */
  address: z.string(),
  /** Number of running requests to the upstream. */
  num_requests: z.number(),
  /** Number of failures that passive health checks still remember. */
  fails: z.number(),
  /** True when no active check fails; also true without checks. */
  healthy: z.boolean(),
  /** Latency of the last response in milliseconds; null before the first. */
  latency_ms: z.nullable(z.number()),
  /** Time of the last response, RFC 3339; null before the first. */
  last_response: z.nullable(z.string()),
  /** Reason of the last failure; null without one. */
  last_error: z.nullable(z.string()),
  /** Time of that failure, RFC 3339. */
  last_error_time: z.nullable(z.string()),
  /**
   * Active checks, one for each handler that checks the upstream. `checked` is false until a check has ended; `against`
   * counts consecutive checks that contradict `healthy`.
   */
  active_checks: z.array(
    z.object({ check: z.string(), healthy: z.boolean(), checked: z.boolean(), against: z.number() }),
  ),
});

/** An upstream, with figures summed over all threads. */
export type Upstream = z.infer<typeof upstream>;

/** Sort orders of the list: by name, or the worst or largest first. */
export const upstreamOrders = ["trouble", "address", "requests", "fails", "latency"] as const;

/** The requested page of upstreams. */
export interface UpstreamsAsked extends ListAsked {
  /** Sort order; the server sorts before it selects the page. */
  order: (typeof upstreamOrders)[number];
}

/** Query of the overview: the first page of upstreams, worst first. */
export const worstUpstreams: UpstreamsAsked = { order: "trouble", contains: "", page: 1 };

/** A page of the upstreams of all proxies, refreshed every two seconds. */
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
