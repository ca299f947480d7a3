import { indexesLeftToMerges } from "./schema/attribute-hash-migration.ts";

/**
 * A setting for inserts of spans. Attribute indexes are half of an insert's cost. A merge builds them at almost no
 * cost, and each row is merged soon. Before that, a search reads these small parts without indexes. Measurements:
 * docs/adr/035-indexes-made-by-merges.md.
 */
export const leavingIndexes = { exclude_materialize_skip_indexes_on_insert: indexesLeftToMerges.join(",") };
