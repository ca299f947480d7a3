import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isViewName, removeView, savedSearchesQuery, saveView } from "../api/views.ts";
import {
  type KeptSearch,
  type KeptSearches,
  keepSearches,
  keptSearches,
  withoutSaved,
  withSaved,
} from "./kept-searches.ts";

/** Saved searches in their one home: the query service, or this browser where that keeps no views. */
export interface SavedSearches {
  /** Where they are kept; `unknown` before the query service answered. */
  home: "service" | "browser" | "unknown";
  /** Why the query service did not list them; null when it did, or keeps none. */
  error: Error | null;
  /** Asks again. */
  retry(): void;
  /** The saved searches, in the order of their home. */
  saved: readonly KeptSearch[];
  /** Saved, but beyond those listed. */
  more: number;
  /** @returns false when there is one of this name that may not be replaced @throws ApiError */
  save(search: KeptSearch, mayReplace: boolean): Promise<boolean>;
  /** @throws ApiError */
  remove(name: string): Promise<void>;
}

/** @param isWanted whether they are to be asked for now */
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
      save: async (search) => {
        change(withSaved(keptSearches(), search));
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
 * Moves the searches that this browser keeps from before to the query service, each once. A name that is taken there
 * gets an addition. A search that fails stays here for the next time. @throws ApiError
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
