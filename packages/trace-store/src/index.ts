export {
  type CompareDerived,
  type DerivedDifference,
  derivedComparison,
} from "./derived-comparison.ts";
export { openStore } from "./open-store.ts";
export { storeOptions } from "./store-options.ts";
