import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

/** An entry in the answer of `GET /listeners`. */
const listener = z.object({
  /** Listen address: `:443`, `127.0.0.1:8080`. */
  address: z.string(),
  /** Name of the server in the config. */
  server: z.string(),
  /** True when connections start with TLS. */
  tls: z.boolean(),
  /** Supported protocols: `h1`, `h2`, `h2c`. */
  protocols: z.array(z.string()),
  /** Number of open connections. */
  connections: z.number(),
});

/** An open listen address of a configured server. */
export type Listener = z.infer<typeof listener>;

/** A page of listen addresses, refreshed every two seconds. */
export function listenersQuery(asked: ListAsked) {
  return queryOptions({
    queryKey: ["listeners", asked],
    queryFn: ({ signal }) => askList(`/listeners?${listParameters(asked)}`, listener, { signal }),
    refetchInterval: 2_000,
  });
}
