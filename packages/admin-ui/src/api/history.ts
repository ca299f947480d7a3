import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson, askList, askServer } from "./ask-server.ts";
import { patchOperation } from "./json-patch.ts";
import { jsonValue } from "./json-value.ts";

/** An entry in the answer of `GET /history`. */
const entry = z.object({
  /** Number of the version, from 1. Numbers have no gaps; the oldest entries are dropped first. */
  n: z.number(),
  /** When it began to run, RFC 3339. */
  at: z.string(),
  /** Address of the client, or what else loaded it; "" for the server itself. */
  author: z.string(),
  /** Length of the config as JSON. */
  bytes: z.number(),
  /** Method and path of the request that asked for it; absent where none did, and of older servers. */
  cause: z.optional(z.string()),
});

/** One config that ran. */
export type HistoryEntry = z.infer<typeof entry>;

/** Versions of a page. The page of a version follows from its number and this constant. */
export const versionsPerPage = 100;

/**
 * A page of the configs that ran, the newest first, and the one version before them: the oldest of the page is compared
 * with it.
 * @param page     from 1
 * @param contains part of the author, the time or the request, or `#` and a number; "" for all
 */
export function historyPageQuery(page: number, contains: string) {
  return queryOptions({
    queryKey: ["history", "page", page, contains],
    queryFn: ({ signal }) => {
      const parameters = new URLSearchParams({ limit: String(versionsPerPage + 1) });
      if (page > 1) {
        parameters.set("offset", String((page - 1) * versionsPerPage));
      }
      if (contains !== "") {
        parameters.set("contains", contains);
      }
      return askList(`/history?${parameters}`, entry, { signal });
    },
    refetchInterval: 5_000,
  });
}

/** The newest page of the configs that ran. Several pages share this query to learn the running version. */
export const historyQuery = historyPageQuery(1, "");

/**
 * Number of the config that runs; undefined where no history is kept. Reads one entry.
 * @param signal ends the request together with the read of the config
 * @throws ApiError
 */
export async function newestVersion(signal: AbortSignal): Promise<number | undefined> {
  return (await askList("/history?limit=1", entry, { signal })).entries[0]?.n;
}

/** A config that ran, as a whole. Entries never change, so one read lasts as long as the page. */
export const entryQuery = (n: number) =>
  queryOptions({
    queryKey: ["history", n, "document"],
    queryFn: ({ signal }) => askJson(`/history/${n}`, jsonValue, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * The changes from one config that ran to another, as a JSON patch.
 * @param n    number of the newer one
 * @param from number of the older one; undefined: the one before `n`, or the empty config
 */
export const differenceQuery = (n: number, from: number | undefined) =>
  queryOptions({
    queryKey: ["history", n, "difference", from ?? null],
    queryFn: ({ signal }) =>
      askJson(`/history/${n}/diff${from === undefined ? "" : `?from=${from}`}`, z.array(patchOperation), {
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Runs an earlier config again, if what runs is still what was read. It becomes a new entry of the history.
 * @param n    number of the earlier config
 * @param etag of the config that runs
 * @throws ApiError API_CHANGED
 */
export async function rollBack(n: number, etag: string): Promise<void> {
  await askServer(`/history/${n}/rollback`, { method: "POST", headers: { "If-Match": etag } });
}
