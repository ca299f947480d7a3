/**
 * Imported for its effect, before anything else: gives libuv's thread pool room for every query that may run at
 * once (each holds one thread for as long as it runs) and for files and compression beside them. With libuv's
 * own default of 4, four slow queries would stop the whole process from reading a file.
 *
 * A larger value set by the user stays. libuv allows 1024 at most.
 */
const reservedThreads = 8;

/** Most queries that can run at once with this pool; `storage.max-concurrent-queries` may not be above it. */
export const maxQueryThreads = 64;

const wanted = maxQueryThreads + reservedThreads;
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= wanted)) {
  process.env.UV_THREADPOOL_SIZE = String(wanted);
}
