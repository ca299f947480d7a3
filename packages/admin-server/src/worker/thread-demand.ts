/** Milliseconds between two checks of the threads. */
const lookEveryMs = 250;
/** Mean utilization of the threads, from 0 to 1, above which more threads start. */
const mostBusy = 0.5;
/** Number of checks between two redistributions of connections, because clients need time to connect again. */
const looksBetweenShares = 4;
/**
 * Maximum number of redistributions after a growth. After these, a client with one busy connection is no longer
 * disturbed.
 */
const mostShares = 10;
/** A thread has too few connections if its work is less than this fraction of the busiest thread's work. */
const leastPartOfBusiest = 0.25;

/** Threads whose number can grow. */
export interface GrowingThreads {
  /** Number of threads, including threads that are still starting. */
  readonly size: number;
  /** True when every thread serves. */
  readonly areAllServing: boolean;
  /** Utilization of each serving thread since the last call, from 0 to 1, with the thread's number as the key. */
  utilization(): ReadonlyMap<number, number>;
  /** @returns promise that settles when the new threads serve, or have died */
  growTo(size: number): Promise<void>;
}

/** Makes threads close a part of their connections, from 0 to 1, so that other threads get them. */
type Share = (threads: readonly number[], part: number) => void;

/**
 * Doubles the number of threads while all serving threads are busy, up to `most`. An idle server has one thread,
 * because each thread needs 15 MiB, and 130 ms of processor time to start. The number never decreases, because closing
 * a port resets connections that the thread has not accepted yet.
 *
 * Existing connections would stay in the earlier threads, so these threads close some of them. The system assigns the
 * new connections randomly. While a thread has almost no connections, the busiest thread closes more of its
 * connections.
 * @returns a function that stops the growth
 */
export function startThreadsOnDemand(threads: GrowingThreads, most: number, share: Share): () => void {
  let isGrowing = false;
  /** Number of remaining checks after the last new thread, until the timer ends. */
  let looksLeft = 0;
  const grow = async (serving: readonly number[]) => {
    isGrowing = true;
    const before = threads.size;
    await threads.growTo(before * 2);
    isGrowing = false;
    if (threads.size === before) {
      clearInterval(timer); // The system refuses more threads.
      return;
    }
    share(serving, 1 - serving.length / threads.size);
    looksLeft = looksBetweenShares * mostShares;
  };
  const look = () => {
    if (isGrowing) {
      return; // `size` includes threads that do not serve yet
    }
    if (threads.size >= most && looksLeft === 0) {
      clearInterval(timer);
      return;
    }
    if (!threads.areAllServing) {
      return;
    }
    const busy = threads.utilization();
    const parts = [...busy.values()];
    const mean = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
    if (mean > mostBusy && threads.size < most) {
      void grow([...busy.keys()]);
    } else if (looksLeft > 0 && --looksLeft % looksBetweenShares === 0) {
      shareOnce(busy, share);
    }
  };
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Makes the busiest thread close connections if another thread has almost no work. */
function shareOnce(busy: ReadonlyMap<number, number>, share: Share): void {
  const [busiest, most] = [...busy].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
  const least = Math.min(...busy.values());
  if (most > mostBusy && least < most * leastPartOfBusiest) {
    share([busiest], 0.5);
  }
}
