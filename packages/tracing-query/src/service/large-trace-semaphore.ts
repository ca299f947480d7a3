import type { ReadOptions } from "storage/api";

/**
 * Number of spans above which a trace is large: the answer begins before all spans are read.
 */
export const largeTraceSpans = 2_000;

/** Number of bytes above which a trace is large, because few spans can hold many bytes. */
const largeTraceBytes = 2 * 1024 * 1024;

/** Default memory in bytes for the rows of large traces in all requests: enough for two traces of 50,000 spans. */
export const defaultLargeTraceBytes = 64 * 1024 * 1024;

/**
 * Called when the answer of a read begins, with its number of spans, and its bytes if the store announces them. See
 * `SpanReader.getPackedTraces`.
 */
export type OnCount = (spans: number, bytes?: number) => void;

/** Assumed bytes per span, for a store that does not announce the length of its answer. */
const roughSpanBytes = 640;

/** A request that waits for room. */
interface Waiting {
  /** Bytes that the request needs. */
  readonly bytes: number;
  /** Gives the room to the request. */
  letIn(): void;
}

/**
 * Memory for large traces, shared by all requests. A request without room waits, first come, first served. A
 * trace larger than the whole room is read alone. A request is identified by its signal; a request that never
 * entered is not limited.
 */
export class LargeTraceSemaphore {
  readonly #maxBytes: number;
  readonly #onWait: () => void;
  /** Bytes that each running request holds, by the signal of the request. */
  readonly #held = new Map<AbortSignal, number>();
  /** Requests without room, first come, first served. */
  readonly #waiting = new Set<Waiting>();
  /** Sum of the bytes that all running requests hold. */
  #taken = 0;

  /** @param onWait called for each request that must wait */
  constructor(maxBytes = defaultLargeTraceBytes, onWait: () => void = () => {}) {
    this.#maxBytes = maxBytes;
    this.#onWait = onWait;
  }

  /** Bytes that requests hold now. */
  get taken(): number {
    return this.#taken;
  }

  /** Called when a request begins. */
  enter(signal: AbortSignal): void {
    this.#held.set(signal, 0);
  }

  /** Called when a request has ended. Frees its bytes. */
  leave(signal: AbortSignal): void {
    this.#taken -= this.#held.get(signal) ?? 0;
    this.#held.delete(signal);
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.bytes)) {
        break;
      }
      this.#waiting.delete(waiting);
      waiting.letIn();
    }
  }

  /**
   * Takes room when enough is free and no request waits. A request that already holds room always gets more, because
   * otherwise two requests could wait for each other.
   */
  tryTake(signal: AbortSignal, bytes: number): boolean {
    const held = this.#held.get(signal);
    if (held === undefined) {
      return true;
    }
    if (held === 0 && (this.#waiting.size > 0 || !this.#fits(bytes))) {
      return false;
    }
    this.#hold(signal, bytes);
    return true;
  }

  /** Waits until the bytes fit, and takes the room. @throws the signal's reason */
  async take(signal: AbortSignal, bytes: number): Promise<void> {
    signal.throwIfAborted();
    if (this.tryTake(signal, bytes)) {
      return;
    }
    this.#onWait();
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(waiting);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        bytes,
        letIn: () => {
          signal.removeEventListener("abort", giveUp);
          this.#hold(signal, bytes);
          resolve();
        },
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.add(waiting);
    });
  }

  /**
   * True when the bytes fit. Any number fits into an empty room; otherwise a trace larger than the room would
   * wait forever.
   */
  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#maxBytes;
  }

  #hold(signal: AbortSignal, bytes: number): void {
    this.#held.set(signal, (this.#held.get(signal) ?? 0) + bytes);
    this.#taken += bytes;
  }
}

/**
 * Reads traces when there is room for them. The size of an answer is known when the answer begins. A read without
 * room is aborted, and repeated when there is room.
 * @param read is called with changed options, at most twice
 */
export async function readWithSemaphore<T>(
  room: LargeTraceSemaphore,
  options: ReadOptions,
  onCount: OnCount,
  read: (options: ReadOptions, onCount: OnCount) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  if (signal === undefined) {
    return await read(options, onCount);
  }
  const crowded = new AbortController();
  let mustWait = false;
  let turn: Promise<void> | undefined;
  let seenBytes = 0;
  let heldBytes = 0;
  const count: OnCount = (spans, bytes = spans * roughSpanBytes) => {
    onCount(spans, bytes);
    seenBytes += bytes;
    const isLarge = spans > largeTraceSpans || seenBytes > largeTraceBytes;
    if (!isLarge || mustWait || seenBytes <= heldBytes) {
      return;
    }
    const more = seenBytes - heldBytes;
    heldBytes = seenBytes;
    if (room.tryTake(signal, more)) {
      return;
    }
    mustWait = true;
    turn = room.take(signal, more);
    // A caller that leaves while it waits never awaits this promise.
    turn.catch(() => {});
    crowded.abort();
  };
  try {
    return await read({ ...options, signal: AbortSignal.any([signal, crowded.signal]) }, count);
  } catch (error) {
    if (!mustWait || signal.aborted) {
      throw error;
    }
  }
  await turn;
  mustWait = false;
  seenBytes = 0;
  return await read(options, count);
}
