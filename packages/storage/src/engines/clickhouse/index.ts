export { openClickHouseStore } from "./clickhouse-store.ts";
export type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
