export {
  type CompareDerived,
  type DerivedComparison,
  type DerivedDifference,
  derivedComparison,
} from "./derived-comparison.ts";
export { openStore } from "./open-store.ts";
export { type StoreOptions, storeOptions } from "./store-options.ts";
