import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson, askList, askServer } from "./ask-server.ts";
import { patchOperation } from "./json-patch.ts";
import { jsonValue } from "./json-value.ts";

/** An entry in the answer of `GET /history`. */
const entry = z.object({
  /** Version number, from 1, without gaps; the oldest entries are deleted first. */
  n: z.number(),
  /** Time when the config began to run, RFC 3339. */
  at: z.string(),
  /** Address of the client, or the source of the load; "" for the server itself. */
  author: z.string(),
  /** Length of the config as JSON, in bytes. */
  bytes: z.number(),
  /** Method and path of the request; absent without a request, and from older servers. */
  cause: z.optional(z.string()),
});

export type HistoryEntry = z.infer<typeof entry>;

/** Number of versions per page. The page of a version follows from its number and this constant. */
export const versionsPerPage = 100;

/**
 * A page of the history, the newest first, with one more version at its end, which the oldest version of the page is
 * compared with.
 * @param page page number, from 1
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

/** The newest page of the history. Several pages share this query to learn the running version. */
export const historyQuery = historyPageQuery(1, "");

/**
 * Number of the running version; undefined without a history. Reads one entry.
 * @param signal aborts the request together with the read of the config
 * @throws ApiError
 */
export async function newestVersion(signal: AbortSignal): Promise<number | undefined> {
  return (await askList("/history?limit=1", entry, { signal })).entries[0]?.n;
}

/**
 * Query of a whole config from the history. Entries never change, so the result is cached as long as the page is open.
 */
export const entryQuery = (n: number) =>
  queryOptions({
    queryKey: ["history", n, "document"],
    queryFn: ({ signal }) => askJson(`/history/${n}`, jsonValue, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * The changes from one version to another, as a JSON patch.
 * @param n number of the newer version
 * @param from number of the older version; undefined: the one before `n`, or the empty config
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
 * Loads an earlier config, if the running config is still the one that was read. This creates a new entry of the
 * history.
 * @param n number of the earlier version
 * @param etag ETag of the running config
 * @throws ApiError API_CHANGED
 */
export async function rollBack(n: number, etag: string): Promise<void> {
  await askServer(`/history/${n}/rollback`, { method: "POST", headers: { "If-Match": etag } });
}
