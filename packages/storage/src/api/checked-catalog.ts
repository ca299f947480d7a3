import type { AttributeNamesQuery, AttributeValuesQuery, CatalogValue } from "./attribute-catalog.ts";
import { checkCount, checkRange } from "./checked-analysis.ts";
import { checkSearch, checkTexts } from "./checked-query.ts";
import { intrinsics, listedValues } from "./intrinsics.ts";

/**
 * Maximum number of names or values that a query may request. Clients may request 10,000 entries; one more entry shows
 * the reader that the list was cut.
 */
const maxEntries = 10_001;

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkNames({ range, limit, prefix = "", filter = {} }: AttributeNamesQuery): void {
  checkCount("limit", limit, maxEntries);
  checkRange(range);
  checkSearch({ ...filter, limit: 1 });
  checkTexts([prefix]);
}

/** @throws StorageError STORAGE_BAD_QUERY */
export function checkValues({ name, range, limit, prefix = "", filter = {} }: AttributeValuesQuery): void {
  checkCount("limit", limit, maxEntries);
  checkRange(range);
  checkSearch({ ...filter, limit: 1 });
  checkTexts([name, prefix]);
}

/** Names of the intrinsics, which every store has. */
export function intrinsicNames({ scope, limit, prefix = "" }: AttributeNamesQuery): string[] {
  if (scope !== undefined && scope !== "intrinsic") {
    return [];
  }
  return [...intrinsics.keys()].filter((name) => name.startsWith(prefix)).slice(0, limit);
}

/** Values that are known without reading any spans. Undefined: spans must be read. */
export function fixedValues({
  scope,
  name,
  limit,
  prefix = "",
}: AttributeValuesQuery): CatalogValue[] | undefined {
  if (scope !== "intrinsic") {
    return undefined;
  }
  return listedValues(intrinsics.get(name) ?? "unlisted")
    ?.filter(({ value }) => value.startsWith(prefix))
    .slice(0, limit);
}
