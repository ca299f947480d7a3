import { defaultAddress, type SearchAddress } from "../../searches/search-address.ts";

/** How the results of a search are looked at: it is no part of the question. */
export function viewOf({ cols, group, groupSort, groupFilter, page, refresh }: SearchAddress) {
  return { cols, group, groupSort, groupFilter, page, refresh };
}

/** The question of an address as a text: two addresses with the same one differ only in their view. */
export function searchKey(address: SearchAddress): string {
  return JSON.stringify({
    ...{ ...address, sort: undefined, sel: undefined, live: undefined, file: undefined },
    ...viewOf(defaultAddress),
  });
}
