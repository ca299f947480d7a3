/**
 * Imported for its effect, before the engine is loaded: its allocator (jemalloc) reads this variable then and never again.
 * Freed memory is kept for 15 seconds rather than 5. An insert wants some hundred megabytes, and the next one a second later
 * wants them again; to give them back in between, and have them zeroed by the system anew, took up to a third of the insert's
 * processor time.
 *
 * The number of arenas is not set: the engine is built to have one for each core, whatever `narenas` says.
 *
 * A value set by the user stays. Figures: docs/adr/029-memory-between-inserts.md.
 */
process.env.JE_MALLOC_CONF ??= "dirty_decay_ms:15000,muzzy_decay_ms:0";
