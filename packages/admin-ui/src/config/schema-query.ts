import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "../api/ask-server.ts";
import type { ConfigSchema } from "./schema.ts";

/**
 * JSON Schema of everything that can be configured. Modules come and go with the config, so a change of the
 * config invalidates it; else it is read once.
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
