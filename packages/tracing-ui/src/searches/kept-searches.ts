import * as z from "zod/mini";
import { firstLookback } from "./search-address.ts";

/** A search stored in the browser. */
export interface KeptSearch {
  /** Search part of the address, without `?`. */
  address: string;
  /** Name given by the user; "" for a recent search that was not saved. */
  name: string;
}

const key = "tracing.searches";
/** Maximum number of stored recent searches; nobody reads a longer list. */
const mostRecent = 12;
/** Maximum number of saved searches; more are refused. */
export const mostSaved = 100;

const stored = z.object({
  recent: z.catch(z.array(z.string()), []),
  saved: z.catch(z.array(z.object({ address: z.string(), name: z.string() })), []),
});

/** All searches stored in the browser, newest first. */
export type KeptSearches = z.infer<typeof stored>;

/** Reads the stored searches; empty when storage is refused or has unknown content. */
export function keptSearches(): KeptSearches {
  try {
    return stored.parse(JSON.parse(localStorage.getItem(key) ?? "{}"));
  } catch {
    return { recent: [], saved: [] };
  }
}

/** Adds a recent search: newest first, each search once, at most twelve. */
export function withRecent(kept: KeptSearches, address: string): KeptSearches {
  return {
    ...kept,
    recent: [address, ...kept.recent.filter((other) => other !== address)].slice(0, mostRecent),
  };
}

/** Adds a search saved by name. A search with the same name is replaced. Beyond `mostSaved` nothing changes. */
export function withSaved(kept: KeptSearches, { address, name }: KeptSearch): KeptSearches {
  const others = kept.saved.filter((other) => other.name !== name);
  return others.length >= mostSaved ? kept : { ...kept, saved: [{ address, name }, ...others] };
}

/** Removes the saved search with this name. */
export function withoutSaved(kept: KeptSearches, name: string): KeptSearches {
  return { ...kept, saved: kept.saved.filter((other) => other.name !== name) };
}

/** Stores the searches for the next visit, if the browser allows storage. */
export function keepSearches(kept: KeptSearches): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Storage is refused or full: the searches last as long as the page.
  }
}

/**
 * A short text for a search: its query, or the fields that are set. `service=cart&minDuration=1s` gives `cart ≥ 1s ·
 * 1h`.
 * @param address search part of the address, as in `KeptSearch`
 */
export function searchWords(address: string): string {
  const fields = new URLSearchParams(address);
  const query = fields.get("q");
  const words =
    query === null
      ? [
          fields.get("service") ?? "all services",
          fields.get("operation") ?? "",
          fields.get("tags") ?? "",
          fields.has("minDuration") ? `≥ ${fields.get("minDuration")}` : "",
          fields.has("maxDuration") ? `≤ ${fields.get("maxDuration")}` : "",
        ]
      : [query];
  const time = fields.get("lookback") ?? firstLookback();
  return [...words.filter((word) => word !== ""), time === "custom" ? "" : `· ${time}`].join(" ").trim();
}
