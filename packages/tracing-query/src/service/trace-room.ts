import type { ReadOptions } from "storage/api";

/** Larger traces take a moment to be read and written: what is known of them is sent before. */
export const largeTraceSpans = 2_000;

/** Of rows of large traces, in all requests together: two traces of 50,000 spans. */
export const defaultRoomBytes = 64 * 1024 * 1024;

/** As that of `SpanReader.getPackedTraces`. */
export type OnCount = (spans: number, bytes?: number) => void;

/** Where a store does not say how long an answer is. */
const roughSpanBytes = 640;

interface Waiting {
  readonly bytes: number;
  letIn(): void;
}

/**
 * Memory for large traces, shared by all requests: who finds none waits, first come first served, until others are done. One that
 * is larger than all of it gets in alone. Requests are known by their signals; those that are not known take what they want.
 */
export class TraceRoom {
  readonly #maxBytes: number;
  readonly #onWait: () => void;
  readonly #held = new Map<AbortSignal, number>();
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  /** @param onWait called for each that must wait */
  constructor(maxBytes = defaultRoomBytes, onWait: () => void = () => {}) {
    this.#maxBytes = maxBytes;
    this.#onWait = onWait;
  }

  /** Bytes that are taken now. */
  get taken(): number {
    return this.#taken;
  }

  /** A request begins. */
  enter(signal: AbortSignal): void {
    this.#held.set(signal, 0);
  }

  /** A request is over: what it holds is free. */
  leave(signal: AbortSignal): void {
    this.#taken -= this.#held.get(signal) ?? 0;
    this.#held.delete(signal);
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.bytes)) break;
      this.#waiting.delete(waiting);
      waiting.letIn();
    }
  }

  /** Takes room if there is some, and nobody waits for it. Who has some already gets more: two could wait for each other. */
  tryTake(signal: AbortSignal, bytes: number): boolean {
    const held = this.#held.get(signal);
    if (held === undefined) return true;
    if (held === 0 && (this.#waiting.size > 0 || !this.#fits(bytes))) return false;
    this.#hold(signal, bytes);
    return true;
  }

  /** Takes room when it is there. @throws the signal's reason */
  async take(signal: AbortSignal, bytes: number): Promise<void> {
    signal.throwIfAborted();
    if (this.tryTake(signal, bytes)) return;
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

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#maxBytes;
  }

  #hold(signal: AbortSignal, bytes: number): void {
    this.#held.set(signal, (this.#held.get(signal) ?? 0) + bytes);
    this.#taken += bytes;
  }
}

/**
 * Reads traces where there is room for them. How large an answer is shows when it begins: one that finds no room is given
 * up then, and asked for again when there is.
 * @param read is called with other options, twice at most
 */
export async function readInRoom<T>(
  room: TraceRoom,
  options: ReadOptions,
  onCount: OnCount,
  read: (options: ReadOptions, onCount: OnCount) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  if (signal === undefined) return await read(options, onCount);
  const crowded = new AbortController();
  let mustWait = false;
  let turn: Promise<void> | undefined;
  let seenBytes = 0;
  let heldBytes = 0;
  const count: OnCount = (spans, bytes = spans * roughSpanBytes) => {
    onCount(spans, bytes);
    if (spans <= largeTraceSpans || mustWait) return;
    seenBytes += bytes;
    if (seenBytes <= heldBytes) return;
    const more = seenBytes - heldBytes;
    heldBytes = seenBytes;
    if (room.tryTake(signal, more)) return;
    mustWait = true;
    turn = room.take(signal, more);
    // Whoever leaves while it waits may never look at it.
    turn.catch(() => {});
    crowded.abort();
  };
  try {
    return await read({ ...options, signal: AbortSignal.any([signal, crowded.signal]) }, count);
  } catch (error) {
    if (!mustWait || signal.aborted) throw error;
  }
  await turn;
  mustWait = false;
  seenBytes = 0;
  return await read(options, count);
}
