import { ServerError } from "../errors.ts";

/** Maximum number of entries in one answer, when a caller requests a part of a list. */
const mostOfPage = 1_000;

/** The requested part of a list. */
export interface ListPage {
  /** Text that entries must contain, in lower case. "": all entries. */
  readonly contains: string;
  /** Maximum number of entries in the answer. */
  readonly limit: number;
  /** Number of entries before the page. */
  readonly offset: number;
}

/**
 * Reads `contains`, `limit` and `offset`. Without them the whole list is returned. @throws ServerError ADMIN_REQUEST
 */
export function listPageOf(query: URLSearchParams): ListPage {
  return {
    contains: (query.get("contains") ?? "").toLowerCase(),
    limit: countOf(query, "limit", 1, mostOfPage) ?? Number.POSITIVE_INFINITY,
    offset: countOf(query, "offset", 0, 1_000_000) ?? 0,
  };
}

/**
 * @returns the entries of the page, and a header with the number of entries on all pages
 * @param textOf text of an entry in which `contains` is searched
 */
export function pageOf<Entry>(
  entries: readonly Entry[],
  { contains, limit, offset }: ListPage,
  textOf: (entry: Entry) => string,
): { page: readonly Entry[]; headers: Record<string, string> } {
  const matching =
    contains === "" ? entries : entries.filter((entry) => textOf(entry).toLowerCase().includes(contains));
  return {
    page: matching.slice(offset, offset + limit),
    headers: { "X-Total-Count": String(matching.length) },
  };
}

function countOf(query: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = query.get(name);
  if (text === null) {
    return undefined;
  }
  const count = Number(text);
  if (!/^\d{1,7}$/.test(text) || count < least || count > most) {
    throw new ServerError(
      "ADMIN_REQUEST",
      `${name} is not a whole number from ${least} to ${most}: '${text.slice(0, 40)}'`,
    );
  }
  return count;
}
