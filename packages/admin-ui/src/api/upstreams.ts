import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";

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

/** All servers behind all proxies, anew every two seconds. */
export const upstreamsQuery = queryOptions({
  queryKey: ["upstreams"],
  queryFn: ({ signal }) => askJson("/reverse_proxy/upstreams?detail=true", z.array(upstream), { signal }),
  refetchInterval: 2_000,
});
