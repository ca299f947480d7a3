import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";

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

/** Rows of a page: more than a screen holds, and few enough to be drawn every two seconds. */
export const upstreamsPerPage = 100;

/** The order of the list: by name, or the worst or largest first. */
export const upstreamOrders = ["trouble", "address", "requests", "fails", "latency"] as const;

/** Which servers behind proxies are asked for. */
export interface UpstreamsAsked {
  order: (typeof upstreamOrders)[number];
  /** Part of the address; "" for all. */
  contains: string;
  /** From 1. */
  page: number;
}

/** The servers that need a look first: what the overview sums up. */
export const worstUpstreams: UpstreamsAsked = { order: "trouble", contains: "", page: 1 };

/** A page of the servers behind all proxies, anew every two seconds. */
export function upstreamsQuery(asked: UpstreamsAsked) {
  return queryOptions({
    queryKey: ["upstreams", asked],
    queryFn: ({ signal }) => {
      const { order, contains, page } = asked;
      const parameters = new URLSearchParams({ detail: "true", order, limit: String(upstreamsPerPage) });
      if (contains !== "") {
        parameters.set("contains", contains);
      }
      if (page > 1) {
        parameters.set("offset", String((page - 1) * upstreamsPerPage));
      }
      return askList(`/reverse_proxy/upstreams?${parameters}`, upstream, { signal });
    },
    refetchInterval: 2_000,
  });
}
