import { availableParallelism } from "node:os";

/** Half of what jemalloc takes by itself. */
const arenas = 2 * availableParallelism();

/**
 * Imported for its effect, before the engine is loaded: its allocator (jemalloc) reads this variable then and never again.
 * Freed memory is kept for 15 seconds rather than 5. An insert wants some hundred megabytes, and the next one a second later
 * wants them again; to give them back in between, and have them zeroed by the system anew, took up to a third of the insert's
 * processor time.
 *
 * Two arenas for each core rather than four: what one thread frees others find, so that no more is held than before.
 *
 * A value set by the user stays. Figures: docs/adr/029-memory-between-inserts.md.
 */
process.env.JE_MALLOC_CONF ??= `narenas:${arenas},dirty_decay_ms:15000,muzzy_decay_ms:0`;
