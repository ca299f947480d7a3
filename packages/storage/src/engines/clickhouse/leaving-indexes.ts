import { indexesLeftToMerges } from "./schema/attribute-hash-migration.ts";

/**
 * A setting of inserts of spans. Half of what an insert costs is indexes of attributes; a merge makes them for next to nothing,
 * and each row is merged soon. Until then a search reads these parts, which are small, without. Figures:
 * docs/adr/035-indexes-made-by-merges.md.
 */
export const leavingIndexes = { exclude_materialize_skip_indexes_on_insert: indexesLeftToMerges.join(",") };
