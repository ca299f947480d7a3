import * as z from "zod/mini";

/** A search that the browser keeps. */
export interface KeptSearch {
  /** The address's search part, without `?`. */
  address: string;
  /** Given by who saved it; "" for one that was only run. */
  name: string;
}

const key = "tracing.searches";
/** Recent searches that are kept; a longer list would not be read. */
const mostRecent = 12;
/** Saved searches kept; more are refused. */
export const mostSaved = 100;

const stored = z.object({
  recent: z.catch(z.array(z.string()), []),
  saved: z.catch(z.array(z.object({ address: z.string(), name: z.string() })), []),
});

/** All searches that the browser keeps, the newest first. */
export type KeptSearches = z.infer<typeof stored>;

/** Reads them; none where storage is refused or holds something else. */
export function keptSearches(): KeptSearches {
  try {
    return stored.parse(JSON.parse(localStorage.getItem(key) ?? "{}"));
  } catch {
    return { recent: [], saved: [] };
  }
}

/** With one more recent search: the newest first, each once, at most twelve. */
export function withRecent(kept: KeptSearches, address: string): KeptSearches {
  return {
    ...kept,
    recent: [address, ...kept.recent.filter((other) => other !== address)].slice(0, mostRecent),
  };
}

/** With a search saved under a name; one of the same name is replaced. Over `mostSaved` nothing changes. */
export function withSaved(kept: KeptSearches, { address, name }: KeptSearch): KeptSearches {
  const others = kept.saved.filter((other) => other.name !== name);
  return others.length >= mostSaved ? kept : { ...kept, saved: [{ address, name }, ...others] };
}

/** Without the search saved under a name. */
export function withoutSaved(kept: KeptSearches, name: string): KeptSearches {
  return { ...kept, saved: kept.saved.filter((other) => other.name !== name) };
}

/** Keeps them for the next visit, where the browser allows it. */
export function keepSearches(kept: KeptSearches): void {
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // Storage refused or full: they last as long as the page.
  }
}

/**
 * A search in short: its query, or its set fields. `service=cart&minDuration=1s` gives `cart ≥ 1s · 1h`.
 * @param address as in `KeptSearch`
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
  const time = fields.get("lookback") ?? "1h";
  return [...words.filter((word) => word !== ""), time === "custom" ? "" : `· ${time}`].join(" ").trim();
}
