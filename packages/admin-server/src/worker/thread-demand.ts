/** Milliseconds between two checks of the threads. */
const lookEveryMs = 250;
/** Mean utilization of the threads, from 0 to 1, above which more threads start. */
const mostBusy = 0.5;
/** Checks between two shares of connections: clients need time to connect again. */
const looksBetweenShares = 4;
/** Limit of shares after a growth. Afterwards a client with one busy connection is not disturbed any more. */
const mostShares = 10;
/** A thread with less than this fraction of the busiest thread's work has too few connections. */
const leastPartOfBusiest = 0.25;

/** Threads whose number can grow. */
export interface GrowingThreads {
  /** Number of threads, including starting ones. */
  readonly size: number;
  /** True when every thread serves. */
  readonly areAllServing: boolean;
  /** Utilization of each serving thread since the last call, from 0 to 1, by thread number. */
  utilization(): ReadonlyMap<number, number>;
  /** @returns promise that settles when the new threads serve, or have died */
  growTo(size: number): Promise<void>;
}

/** Makes threads close a part of their connections, from 0 to 1, so that others get them. */
type Share = (threads: readonly number[], part: number) => void;

/**
 * Doubles the number of threads while the serving ones are busy, up to `most`. An idle server has one thread, because
 * each holds 15 MiB and takes 130 ms of processor time to start. The number never shrinks: closing a port resets
 * connections that the thread has not accepted yet.
 *
 * Kept connections would stay with the earlier threads, so these close some of them. The system assigns the new
 * connections randomly. While a thread has almost none, the busiest thread closes more.
 * @returns a function that stops the growth
 */
export function startThreadsOnDemand(threads: GrowingThreads, most: number, share: Share): () => void {
  let isGrowing = false;
  /** Checks left after a growth, before the timer ends. */
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
      return; // `size` counts threads that do not serve yet.
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

/** Makes the busiest thread share when another one has almost no work. */
function shareOnce(busy: ReadonlyMap<number, number>, share: Share): void {
  const [busiest, most] = [...busy].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
  const least = Math.min(...busy.values());
  if (most > mostBusy && least < most * leastPartOfBusiest) {
    share([busiest], 0.5);
  }
}
