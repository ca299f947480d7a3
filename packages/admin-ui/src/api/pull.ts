import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";

/** The answer of `GET /pull`; null when the config names no source. Times are RFC 3339. */
const state = z.nullable(
  z.object({
    /** Address of the source. */
    url: z.string(),
    /** When it was asked last; null before the first time. */
    last_try: z.nullable(z.string()),
    /** When it last gave a config that runs; null before the first time. */
    last_success: z.nullable(z.string()),
    /** Why the last try failed; null when it did not. */
    last_error: z.nullable(z.string()),
  }),
);

/** State of the config pull, refreshed every five seconds; null when the running config has no source. */
export const pullQuery = queryOptions({
  queryKey: ["pull"],
  queryFn: ({ signal }) => askJson("/pull", state, { signal }),
  refetchInterval: 5_000,
});
