import { availableParallelism } from "node:os";

/** One arena for two cores, so that the next thread, on any core, uses the memory that a thread has freed. */
const maxArenas = 4;
const arenas = Math.min(maxArenas, Math.ceil(availableParallelism() / 2));

/**
 * Imported for its effect, before the engine is loaded: its allocator (jemalloc) reads this variable then and
 * never again.
 *
 * - Freed memory is kept for 15 seconds instead of 5. An insert needs some hundred megabytes, and so does the
 *   next one a second later. To return them in between, and have the system zero them again, took up to a
 *   third of the insert's processor time.
 * - There are few arenas instead of one for each core. Each arena keeps its freed memory for itself, and the next
 *   insert runs on another core.
 * - A thread keeps pieces of up to 4 KiB for itself, not of up to 32: there are a hundred threads.
 *
 * A value set by the user stays. Figures: docs/adr/034-steady-memory.md.
 */
process.env.JE_MALLOC_CONF ??= `percpu_arena:disabled,narenas:${arenas},tcache_max:4096,dirty_decay_ms:15000,muzzy_decay_ms:0`;
