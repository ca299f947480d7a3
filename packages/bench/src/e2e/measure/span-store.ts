/** Where the receiver keeps spans, as far as a measurement looks into it. */
export interface SpanStore {
  /** Spans stored, those of earlier runs included. */
  countSpans(): Promise<number>;
  /** Undefined when it is not known. */
  diskUsage(): Promise<DiskUsage | undefined>;
  /** Lets the store do at once what it would do over time to get small; not every store can. */
  optimize?(): Promise<void>;
}

export interface DiskUsage {
  /** Spans that the bytes belong to. */
  readonly spans: number;
  /** Disk bytes of the spans themselves. */
  readonly spanBytes: number;
  /** With indexes and summaries that are kept apart. */
  readonly allBytes: number;
}

export interface StoredSpans {
  readonly stored: number;
  /** From the first look to the last growth seen. */
  readonly waitedSeconds: number;
}

const pollMs = 200;

/**
 * Waits until the store has all acknowledged spans.
 * @param before what `countSpans` gave before the run
 * @param stallMs gives up when the number has not grown for so long; a store that does not answer is waited for too
 * @returns what is stored of the run; below `expected` when spans are missing
 * @throws Error when the store could not be asked at the end
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
