import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";

const listener = z.object({
  address: z.string(),
  server: z.string(),
  tls: z.boolean(),
  protocols: z.array(z.string()),
  connections: z.number(),
});

/** An open address of a server of the config. */
export type Listener = z.infer<typeof listener>;

/** Where sites are served, anew every two seconds. */
export const listenersQuery = queryOptions({
  queryKey: ["listeners"],
  queryFn: ({ signal }) => askJson("/listeners", z.array(listener), { signal }),
  refetchInterval: 2_000,
});
