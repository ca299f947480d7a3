import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";

/** The answer of `GET /pull`; null when the config has no source. Times are RFC 3339. */
const state = z.nullable(
  z.object({
    /** Address of the source. */
    url: z.string(),
    /** Time of the last attempt; null before the first. */
    last_try: z.nullable(z.string()),
    /** Time of the last attempt that led to a running config; null before the first. */
    last_success: z.nullable(z.string()),
    /** Reason why the last attempt failed; null after a success. */
    last_error: z.nullable(z.string()),
  }),
);

/** State of pulling the config, refreshed every five seconds; null when the running config has no source. */
export const pullQuery = queryOptions({
  queryKey: ["pull"],
  queryFn: ({ signal }) => askJson("/pull", state, { signal }),
  refetchInterval: 5_000,
});
