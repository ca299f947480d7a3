import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1";

/** A saved view. `address` is the path and search below the page's base. `saved` is in milliseconds since 1970. */
const view = z.object({ name: z.string(), address: z.string(), note: z.string(), saved: z.int() });
/** The answer of `GET /views`. */
const views = z.object({ total: z.int(), views: z.array(view) });

/** A page of this UI that a user saved by name for all users. The address is relative to the base. */
export type SavedView = z.infer<typeof view>;

export const viewsPerPage = 20;

/** A page of the saved views, filtered by the server. @param page from 1 */
export function viewsQuery(contains: string, page: number) {
  return queryOptions({
    queryKey: ["views", contains, page],
    queryFn: ({ signal }) => readViews(contains, viewsPerPage, (page - 1) * viewsPerPage, signal),
    staleTime: 0,
  });
}

/** Maximum number of saved searches that the search menu reads. The list of views has all of them. */
const mostSearches = 50;
/** Prefix of a view's address when the view is a search. */
const searchPage = "/search?";

/**
 * Saved views of the search page: names and search strings. Null when the query service stores no views.
 * @param before runs after a first read has shown that the service stores views, and before the read that is returned
 */
export function savedSearchesQuery(before: () => Promise<void>) {
  return queryOptions({
    queryKey: ["views", "searches"],
    queryFn: async ({ signal }) => {
      const read = () => readViews(searchPage, mostSearches, 0, signal);
      try {
        await read();
        await before();
        const { total, views: found } = await read();
        const searches = found
          .filter(({ address }) => address.startsWith(searchPage))
          .map(({ name, address }) => ({ name, address: address.slice(searchPage.length) }));
        return { searches, total: total - (found.length - searches.length) };
      } catch (error) {
        if (error instanceof ApiError && (error.status === 501 || error.status === 404)) {
          return null;
        }
        throw error;
      }
    },
    staleTime: 0,
  });
}

/** Saves a view by name. A view with the same name is replaced. @throws ApiError */
export async function saveView(saved: Pick<SavedView, "name" | "address" | "note">): Promise<void> {
  await post("views", z.object({ name: z.string() }), saved);
}

/** Renames a view. The server refuses a name that another view has. @throws ApiError */
export async function renameView(name: string, to: string): Promise<void> {
  await post("views/rename", z.object({ name: z.string() }), { name, to });
}

/** Removes a view for all users. @throws ApiError */
export async function removeView(name: string): Promise<void> {
  await post("views/remove", z.object({ name: z.string() }), { name });
}

/** True when a view of this name exists, so that the user is asked before replacing it. @throws ApiError */
export async function isViewName(name: string): Promise<boolean> {
  const found = await readViews(name, 200, 0, new AbortController().signal);
  return found.views.some((one) => one.name === name);
}

/** Stores a short link in the query service and returns its whole address. @throws ApiError */
export async function makeShortLink(address: string): Promise<string> {
  const { path } = await post("links", z.object({ path: z.string() }), { address });
  return new URL(path, document.baseURI).href;
}

/** Path and search of the page that is shown, below the page's base. */
export function shownAddress(): string {
  return `/${location.pathname.slice(new URL(document.baseURI).pathname.length)}${location.search}`;
}

/**
 * Reads one page of the list of views.
 * @param contains part of name, note or address; "" for all
 */
function readViews(contains: string, limit: number, offset: number, signal: AbortSignal) {
  const parameters = new URLSearchParams({ limit: String(limit), offset: String(offset) });
  if (contains !== "") {
    parameters.set("contains", contains);
  }
  return readJson(`${base}/views?${parameters}`, views, signal);
}

/** Sends a change by POST. Leaving the page does not abort the request. */
function post<T>(path: string, schema: Parameters<typeof readJson<T>>[1], body: unknown): Promise<T> {
  return readJson(`${base}/${path}`, schema, new AbortController().signal, JSON.stringify(body));
}
