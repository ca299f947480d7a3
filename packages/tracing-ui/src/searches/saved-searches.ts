import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isViewName, removeView, savedSearchesQuery, saveView } from "../api/views.ts";
import {
  type KeptSearch,
  type KeptSearches,
  keepSearches,
  keptSearches,
  mostSaved,
  withoutSaved,
  withSaved,
} from "./kept-searches.ts";

/** The saved searches, stored in the query service, or in this browser when the service stores no views. */
export interface SavedSearches {
  /** Where the searches are stored; `unknown` until the query service has answered. */
  home: "service" | "browser" | "unknown";
  /** Error of the query service's list; null after success, or when it stores no views. */
  error: Error | null;
  /** Requests the list again. */
  retry(): void;
  /** The saved searches, in the order of their storage. */
  saved: readonly KeptSearch[];
  /** Number of saved searches beyond the listed ones. */
  more: number;
  /** @returns false when the name is taken and `mayReplace` is false. @throws ApiError; Error when the browser has no room */
  save(search: KeptSearch, mayReplace: boolean): Promise<boolean>;
  /** @throws ApiError */
  remove(name: string): Promise<void>;
}

/** @param isWanted true when the searches are needed now; false sends no request */
export function useSavedSearches(isWanted: boolean): SavedSearches {
  const client = useQueryClient();
  const [browser, setBrowser] = useState(keptSearches);
  const { data, error, refetch } = useQuery({ ...savedSearchesQuery(moveToService), enabled: isWanted });
  const retry = () => void refetch();
  if (data === undefined) {
    const isUnknown = async () => {
      throw error ?? new Error("the saved searches are not read yet");
    };
    return { home: "unknown", error, retry, saved: [], more: 0, save: isUnknown, remove: isUnknown };
  }
  if (data === null) {
    const change = (next: KeptSearches) => {
      keepSearches(next);
      setBrowser(next);
    };
    return {
      ...{ home: "browser", error: null, retry },
      ...{ saved: browser.saved, more: 0 },
      save: async (search, mayReplace) => {
        const kept = keptSearches();
        const isTaken = kept.saved.some(({ name }) => name === search.name);
        if (isTaken && !mayReplace) {
          return false;
        }
        if (!isTaken && kept.saved.length >= mostSaved) {
          throw new Error(`this browser keeps ${mostSaved} searches: remove one first`);
        }
        change(withSaved(kept, search));
        return true;
      },
      remove: async (name) => change(withoutSaved(keptSearches(), name)),
    };
  }
  const refresh = () => client.invalidateQueries({ queryKey: ["views"] });
  return {
    ...{ home: "service", error, retry },
    ...{ saved: data.searches, more: data.total - data.searches.length },
    async save({ name, address }, mayReplace) {
      if (!mayReplace && (await isViewName(name))) {
        return false;
      }
      await saveView({ name, address: `/search?${address}`, note: "" });
      await refresh();
      return true;
    },
    async remove(name) {
      await removeView(name);
      await refresh();
    },
  };
}

/**
 * Moves searches that this browser stored earlier to the query service, each once. If the service already has a search
 * with that name, the moved search gets a suffix. A search that fails stays in the browser until the next attempt.
 * @throws ApiError
 */
export async function moveToService(): Promise<void> {
  for (const { name, address } of keptSearches().saved.toReversed()) {
    const to = (await isViewName(name))
      ? `${name} (moved from a browser ${crypto.randomUUID().slice(0, 4)})`
      : name;
    await saveView({ name: to, address: `/search?${address}`, note: "" });
    keepSearches(withoutSaved(keptSearches(), name));
  }
}
