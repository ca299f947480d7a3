export { openClickHouseStore } from "./clickhouse-store.ts";
export type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
export type { ClusterSettings } from "./cluster/cluster-settings.ts";
export { clusterSchemaStatements } from "./cluster/cluster-statements.ts";
export { leavingIndexes } from "./leaving-indexes.ts";
export { schemaStatements } from "./schema/schema-statements.ts";
