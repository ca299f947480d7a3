import { clickHouseServers, type Logger } from "lifecycle";
import { compareDerived, type DerivedComparison } from "storage/clickhouse";
import type { StoreOptions } from "./store-options.ts";

export type { DerivedComparison, DerivedDifference } from "storage/clickhouse";

export type CompareDerived = (compare: Parameters<typeof compareDerived>[1]) => Promise<DerivedComparison>;

/**
 * Compares the tables that are derived from spans with the spans, over separate connections.
 * @returns undefined for stores without such tables
 */
export function derivedComparison(options: StoreOptions, log: Logger): CompareDerived | undefined {
  if (options["span-storage.type"] !== "clickhouse") {
    return undefined;
  }
  return (compare) => compareDerived(clickHouseServers(options, log), compare);
}
