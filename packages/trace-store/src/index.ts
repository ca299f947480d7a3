export { openStore } from "./open-store.ts";
export { type StoreOptions, storeOptions } from "./store-options.ts";
