export { leavingIndexes } from "./clickhouse-span-writer.ts";
export { openClickHouseStore } from "./clickhouse-store.ts";
export type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
export { changeShards, type ShardChange } from "./cluster/change-shards.ts";
export { clusterSchemaStatements } from "./cluster/cluster-statements.ts";
export type { ClusterSettings } from "./cluster-settings.ts";
export {
  type DeletionReport,
  type DeletionRun,
  deleteSpans,
  type TableDeletion,
} from "./deletion/delete-spans.ts";
export { type DeletionSelection, deletionCondition } from "./deletion/deletion-condition.ts";
export {
  compareDerived,
  type DerivedComparison,
  type DerivedDifference,
} from "./derived/compare-derived.ts";
export { migrateSchema, type ServerMigration } from "./migrate-schema.ts";
export { schemaVersion } from "./schema/migrations.ts";
export { schemaStatements } from "./schema/schema-statements.ts";
