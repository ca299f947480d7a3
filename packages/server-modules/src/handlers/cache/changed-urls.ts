/**
 * Counters that all URLs share. When two URLs share a counter, a change of one URL only causes one more request to the
 * origin for the other URL.
 */
const counters = 65_536;

/** Size of the shared memory, in bytes. */
export const changedUrlsBytes = counters * 4;

/** FNV-1a over the URL's UTF-16 units. Source: draft-eastlake-fnv */
function slotOf(url: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < url.length; index++) {
    hash = Math.imul(hash ^ url.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % counters;
}

/**
 * Counts changes of URLs by unsafe requests, in memory shared by all threads. Each thread has its own store. A stored
 * response is valid only while the counter of its URL has the value from before the origin was asked. A POST in one
 * thread therefore invalidates the responses of all threads, and responses that are on their way during the POST.
 */
export class ChangedUrls {
  readonly #counters: Int32Array;

  /** @param memory shared memory of {@link changedUrlsBytes} bytes, initially all zero */
  constructor(memory: SharedArrayBuffer) {
    this.#counters = new Int32Array(memory);
  }

  /** Number of changes of a URL until now, modulo 2^32. */
  generation(url: string): number {
    return Atomics.load(this.#counters, slotOf(url));
  }

  /** Notes that a request changed the resource of a URL. */
  changed(url: string): void {
    Atomics.add(this.#counters, slotOf(url), 1);
  }
}
