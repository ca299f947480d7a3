/**
 * This module must be imported first: it enlarges libuv's thread pool. Each running query uses a thread, and files and
 * compression need more threads. With libuv's default of 4, four slow queries would block all reads of files in the
 * process.
 *
 * A larger value set by the user is kept. libuv allows 1024 at most.
 */
const reservedThreads = 8;

/** Limit of queries that can run with this pool; also the limit of `storage.max-concurrent-queries`. */
export const maxQueryThreads = 64;

const wanted = maxQueryThreads + reservedThreads;
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= wanted)) {
  process.env.UV_THREADPOOL_SIZE = String(wanted);
}
