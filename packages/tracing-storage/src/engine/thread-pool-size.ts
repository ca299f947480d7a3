/**
 * This module must be imported first, because it enlarges libuv's thread pool. Each running query needs a thread, and
 * files and compression need further threads. With libuv's default of 4, four slow queries would block all reads of
 * files in the process.
 *
 * A larger value that the user has set is not replaced; libuv allows at most 1024.
 */
const reservedThreads = 8;

/**
 * Maximum number of queries that can run with this pool, and also the upper limit of `storage.max-concurrent-queries`.
 */
export const maxQueryThreads = 64;

const wanted = maxQueryThreads + reservedThreads;
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= wanted)) {
  process.env.UV_THREADPOOL_SIZE = String(wanted);
}
