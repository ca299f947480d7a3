import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askList } from "./ask-server.ts";
import { type ListAsked, listParameters } from "./list-query.ts";

const listener = z.object({
  address: z.string(),
  server: z.string(),
  tls: z.boolean(),
  protocols: z.array(z.string()),
  connections: z.number(),
});

/** An open address of a server of the config. */
export type Listener = z.infer<typeof listener>;

/** A page of where sites are served, anew every two seconds. */
export function listenersQuery(asked: ListAsked) {
  return queryOptions({
    queryKey: ["listeners", asked],
    queryFn: ({ signal }) => askList(`/listeners?${listParameters(asked)}`, listener, { signal }),
    refetchInterval: 2_000,
  });
}
