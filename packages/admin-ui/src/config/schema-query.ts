import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "../api/ask-server.ts";
import type { ConfigSchema } from "./schema.ts";

/**
 * Query of the JSON Schema for the whole config. Modules depend on the config, so a changed config invalidates the
 * schema; otherwise it is read once.
 */
export const schemaQuery = queryOptions({
  queryKey: ["schema"],
  queryFn: ({ signal }): Promise<ConfigSchema> =>
    askJson(
      "/config/schema",
      z.custom<ConfigSchema>((value) => typeof value === "object" && value !== null),
      { signal },
    ),
  staleTime: Number.POSITIVE_INFINITY,
});
