/** The store of the receiver, with the functions that a measurement needs. */
export interface SpanStore {
  /** Number of stored spans, including the spans of earlier runs. */
  countSpans(): Promise<number>;
  /** Undefined when the usage is not known. */
  diskUsage(): Promise<DiskUsage | undefined>;
  /** Makes the store do all merges that it would otherwise do over time; absent when the store cannot do this. */
  optimize?(): Promise<void>;
}

export interface DiskUsage {
  /** Stored spans whose bytes were measured. */
  readonly spans: number;
  /** Disk bytes of the table of spans. */
  readonly spanBytes: number;
  /** Disk bytes including indexes and summaries in other tables. */
  readonly allBytes: number;
}

export interface StoredSpans {
  readonly stored: number;
  /** Seconds from the first count to the last growth. */
  readonly waitedSeconds: number;
}

const pollMs = 200;

/**
 * Waits until the store has all acknowledged spans.
 * @param before result of `countSpans` before the run
 * @param stallMs milliseconds without growth after which this gives up; a store that does not answer is also awaited
 * @returns the stored spans of the run; fewer than `expected` when spans are missing
 * @throws Error when the last count failed
 */
export async function waitForSpans(
  store: SpanStore,
  before: number,
  expected: number,
  stallMs: number,
): Promise<StoredSpans> {
  const startedAt = performance.now();
  let stored = 0;
  let grownAt = startedAt;
  for (;;) {
    const found = await store.countSpans().catch((cause: unknown) => new Error("no count", { cause }));
    const now = performance.now();
    if (typeof found === "number" && found - before !== stored) {
      stored = found - before;
      grownAt = now;
    }
    if (stored >= expected || now - grownAt > stallMs) {
      if (typeof found !== "number") {
        throw new Error("cannot count the stored spans", found);
      }
      return { stored, waitedSeconds: (grownAt - startedAt) / 1000 };
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
