/** How often the threads are looked at, in milliseconds. */
const lookEveryMs = 250;
/** Mean utilization of the threads, 0 to 1, above which more threads start. */
const mostBusy = 0.5;
/** Looks between two shares of connections: clients that were asked to come back must have had time for it. */
const looksBetweenShares = 4;
/** Shares after the threads became more; then a client with one busy connection is left in peace. */
const mostShares = 10;
/** A thread that works less than this part of what the busiest does got too few connections. */
const leastPartOfBusiest = 0.25;

/** Threads that can become more. */
export interface GrowingThreads {
  /** How many there are, those on their way too. */
  readonly size: number;
  /** True when every thread serves. */
  readonly areAllServing: boolean;
  /** Part of the time since the last call that each serving thread was at work, 0 to 1, by its number. */
  utilization(): ReadonlyMap<number, number>;
  /** @returns once the further ones serve, or died */
  growTo(size: number): Promise<void>;
}

/** Has threads end a part of their connections, 0 to 1, for others to get them. */
type Share = (threads: readonly number[], part: number) => void;

/**
 * Doubles the number of threads while the serving ones are busy, up to `most`. An idle server has one: each thread holds
 * 15 MiB and takes 130 ms of processor time to start. Threads never become fewer, because a port that a thread closes resets
 * connections that it has not accepted yet.
 *
 * Kept connections would stay with the earlier threads, so these close a part of them. The system assigns the
 * new connections to threads at random. While a thread has almost none, the busiest thread closes more.
 * @returns a function that ends the growth
 */
export function startThreadsOnDemand(threads: GrowingThreads, most: number, share: Share): () => void {
  let isGrowing = false;
  /** Checks left after a growth, before the timer ends. */
  let looksLeft = 0;
  const grow = async (serving: readonly number[]) => {
    isGrowing = true;
    await threads.growTo(threads.size * 2);
    isGrowing = false;
    share(serving, 1 - serving.length / threads.size);
    looksLeft = looksBetweenShares * mostShares;
  };
  const look = () => {
    if (threads.size >= most && looksLeft === 0) {
      clearInterval(timer);
      return;
    }
    if (isGrowing || !threads.areAllServing) {
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

/** Has the busiest thread share where another one has next to nothing. */
function shareOnce(busy: ReadonlyMap<number, number>, share: Share): void {
  const [busiest, most] = [...busy].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
  const least = Math.min(...busy.values());
  if (most > mostBusy && least < most * leastPartOfBusiest) {
    share([busiest], 0.5);
  }
}
