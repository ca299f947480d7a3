import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson, askServer } from "./ask-server.ts";
import { patchOperation } from "./json-patch.ts";
import { jsonValue } from "./json-value.ts";

const entry = z.object({ n: z.number(), at: z.string(), author: z.string(), bytes: z.number() });

/** The configs that ran, the newest first. */
export const history = z.array(entry);

/** One config that ran. */
export type HistoryEntry = z.infer<typeof entry>;

/** The configs that ran, the newest first. */
export const historyQuery = queryOptions({
  queryKey: ["history"],
  queryFn: ({ signal }) => askJson("/history", history, { signal }),
  refetchInterval: 5_000,
});

/** A config that ran. Entries never change. */
export const entryQuery = (n: number) =>
  queryOptions({
    queryKey: ["history", n, "document"],
    queryFn: ({ signal }) => askJson(`/history/${n}`, jsonValue, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What leads from one config that ran to another. @param from undefined: the one before, or nothing at all */
export const differenceQuery = (n: number, from: number | undefined) =>
  queryOptions({
    queryKey: ["history", n, "difference", from ?? null],
    queryFn: ({ signal }) =>
      askJson(`/history/${n}/diff${from === undefined ? "" : `?from=${from}`}`, z.array(patchOperation), {
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Runs an earlier config again, if what runs is still what was read. @throws ApiError API_CHANGED */
export async function rollBack(n: number, etag: string): Promise<void> {
  await askServer(`/history/${n}/rollback`, { method: "POST", headers: { "If-Match": etag } });
}
