import { indexesLeftToMerges } from "./schema/attribute-hash-migration.ts";

/**
 * A setting for inserts of spans. Indexes of attributes are half of an insert's cost. A merge builds them
 * almost for free, and each row is merged soon. Until then a search reads these small parts without indexes.
 * Figures: docs/adr/035-indexes-made-by-merges.md.
 */
export const leavingIndexes = { exclude_materialize_skip_indexes_on_insert: indexesLeftToMerges.join(",") };
