export { openClickHouseStore } from "./clickhouse-store.ts";
export type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
export { schemaStatements } from "./schema/schema-statements.ts";
