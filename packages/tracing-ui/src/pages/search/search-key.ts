import { defaultAddress, type SearchAddress } from "../../searches/search-address.ts";

/** The view fields of an address, which are not part of the request. */
export function viewOf({ cols, group, groupSort, groupFilter, page, refresh }: SearchAddress) {
  return { cols, group, groupSort, groupFilter, page, refresh };
}

/** The request of an address as text. Two addresses with the same key differ only in their view. */
export function searchKey(address: SearchAddress): string {
  return JSON.stringify({
    ...{ ...address, sort: undefined, sel: undefined, live: undefined, file: undefined },
    ...viewOf(defaultAddress),
  });
}
