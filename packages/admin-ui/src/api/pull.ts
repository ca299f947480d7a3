import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";

const state = z.nullable(
  z.object({
    url: z.string(),
    last_try: z.nullable(z.string()),
    last_success: z.nullable(z.string()),
    last_error: z.nullable(z.string()),
  }),
);

/** How it went to fetch the config from its source; null where the running one has none. */
export const pullQuery = queryOptions({
  queryKey: ["pull"],
  queryFn: ({ signal }) => askJson("/pull", state, { signal }),
  refetchInterval: 5_000,
});
