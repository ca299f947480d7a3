import { useMemo } from "react";
import type { JsonValue } from "../../api/json-value.ts";
import { findInTree, type TreeRow, treeRows } from "../../config/tree-rows.ts";
import { type ConfigAddress, isOpenIn } from "./config-address.ts";

/** The lines of the tree, and which of them the search found. */
interface TreeLines {
  /** Shown lines, from top to bottom. */
  lines: readonly TreeRow[];
  /** Pointers of the values that the search found; none without a search. */
  found: ReadonlySet<string>;
}

/**
 * Returns the lines of the tree that an address shows. Computed anew when the document, the folding or the search
 * changes.
 */
export function useTreeLines(document: JsonValue, address: ConfigAddress): TreeLines {
  const { q = "" } = address;
  return useMemo(() => {
    // A search shows only found lines and their context, regardless of folding.
    const search = q === "" ? undefined : findInTree(document, q);
    const isOpen = isOpenIn(address);
    const all = treeRows(
      document,
      (pointer, level) => search?.holders.has(pointer) || (search === undefined && isOpen(pointer, level)),
    );
    const found = search?.found ?? new Set<string>();
    const lines =
      search === undefined
        ? all
        : all.filter(({ pointer }) => pointer === "" || found.has(pointer) || search.holders.has(pointer));
    return { lines, found };
  }, [document, address, q]);
}
