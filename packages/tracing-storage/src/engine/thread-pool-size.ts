/**
 * Imported first, for its effect: it enlarges libuv's thread pool. Each running query holds a thread, and files and
 * compression need some beside them. With libuv's default of 4, four slow queries would keep the whole process from
 * reading a file.
 *
 * A larger value set by the user stays. libuv allows 1024 at most.
 */
const reservedThreads = 8;

/** Most queries that can run with this pool; the limit of `storage.max-concurrent-queries`. */
export const maxQueryThreads = 64;

const wanted = maxQueryThreads + reservedThreads;
if (!(Number(process.env.UV_THREADPOOL_SIZE) >= wanted)) {
  process.env.UV_THREADPOOL_SIZE = String(wanted);
}
