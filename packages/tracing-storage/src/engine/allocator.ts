import { availableParallelism } from "node:os";

/**
 * Limit of arenas: one for two cores, so that the next thread, on any core, reuses the memory that a thread has freed.
 */
const maxArenas = 4;
const arenas = Math.min(maxArenas, Math.ceil(availableParallelism() / 2));

/**
 * This module must be imported before the engine is loaded: only then does its allocator (jemalloc) read this variable.
 *
 * - Freed memory is kept for 15 seconds instead of 5. An insert needs several hundred megabytes, and so does the next
 *   insert a second later. Returning the memory in between, and zeroing it again, took up to a third of the insert's
 *   processor time.
 * - There are few arenas instead of one for each core. An arena cannot use memory that another arena has freed, and the
 *   next insert runs on another core.
 * - A thread caches freed pieces of up to 4 KiB instead of up to 32 KiB, because there are a hundred threads.
 *
 * A value set by the user is kept. Measurements: docs/adr/034-steady-memory.md.
 */
process.env.JE_MALLOC_CONF ??= `percpu_arena:disabled,narenas:${arenas},tcache_max:4096,dirty_decay_ms:15000,muzzy_decay_ms:0`;
