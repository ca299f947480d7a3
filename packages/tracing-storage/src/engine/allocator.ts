import { availableParallelism } from "node:os";

/**
 * Maximum number of arenas. A machine with fewer than eight cores gets one arena for every two cores. With few arenas,
 * a thread on any core can reuse memory that another thread has freed.
 */
const maxArenas = 4;
const arenas = Math.min(maxArenas, Math.ceil(availableParallelism() / 2));

/**
 * This module must be imported before the engine, because the engine's allocator (jemalloc) reads this variable only
 * when it is loaded.
 *
 * - Freed memory is kept for 15 seconds instead of 5 seconds. An insert needs several hundred megabytes, and the next
 *   insert a second later needs them again. Returning this memory to the system, and zeroing it again, took up to a
 *   third of the insert's processor time.
 * - There are few arenas instead of one for each core. An arena cannot use memory that was freed in another arena, and
 *   the next insert may run on another core.
 * - A thread caches only freed pieces of up to 4 KiB instead of 32 KiB, because there are a hundred threads.
 *
 * A value that the user has set is not replaced. See docs/adr/034-steady-memory.md for the measurements.
 */
process.env.JE_MALLOC_CONF ??= `percpu_arena:disabled,narenas:${arenas},tcache_max:4096,dirty_decay_ms:15000,muzzy_decay_ms:0`;
