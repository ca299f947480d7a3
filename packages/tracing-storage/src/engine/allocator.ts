import { availableParallelism } from "node:os";

/** One for each two cores: what one thread gave back the next one takes, whichever core it runs on. */
const maxArenas = 4;
const arenas = Math.min(maxArenas, Math.ceil(availableParallelism() / 2));

/**
 * Imported for its effect, before the engine is loaded: its allocator (jemalloc) reads this variable then and never again.
 *
 * - Freed memory is kept for 15 seconds rather than 5. An insert wants some hundred megabytes, and the next one a second later
 *   wants them again; to give them back in between, and have them zeroed by the system anew, took up to a third of the
 *   insert's processor time.
 * - Arenas are few, and not one for each core: each keeps what it was given back for itself, and the next insert runs on
 *   another core.
 * - A thread keeps pieces of up to 4 KiB for itself, not of up to 32: there are a hundred threads.
 *
 * A value set by the user stays. Figures: docs/adr/034-steady-memory.md.
 */
process.env.JE_MALLOC_CONF ??= `percpu_arena:disabled,narenas:${arenas},tcache_max:4096,dirty_decay_ms:15000,muzzy_decay_ms:0`;
