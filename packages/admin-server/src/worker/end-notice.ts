import type { ThreadMessages } from "server-core/threads/thread-messages";

/** Topic of the message of a thread that is about to end, with its number. */
export const endingTopic = "threads.ending";

/** Milliseconds that an ending thread waits for the main thread. Its clients wait too. */
const patienceMs = 2_000;

/** Acknowledgements by the main thread that a thread may end: one number for each thread, on which threads can wait. */
export class EndNotices {
  readonly #acknowledged: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#acknowledged = new Int32Array(buffer);
  }

  /** Allocates memory for this many threads, including the main thread. */
  static create(threads: number): EndNotices {
    return new EndNotices(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
  }

  /** The memory, which a worker gets when it starts. */
  get buffer(): SharedArrayBuffer {
    return this.#acknowledged.buffer as SharedArrayBuffer;
  }

  /** Resets the number for a new thread. */
  expect(thread: number): void {
    Atomics.store(this.#acknowledged, thread, 0);
  }

  /** Called by the main thread: the thread may end now. */
  acknowledge(thread: number): void {
    Atomics.store(this.#acknowledged, thread, 1);
    Atomics.notify(this.#acknowledged, thread);
  }

  /**
   * Tells the main thread that this thread ends, and blocks until the main thread acknowledges. Its listeners stay open
   * meanwhile. No other code may run in the thread afterwards.
   */
  announce({ thread, askMain }: Pick<ThreadMessages, "thread" | "askMain">): void {
    askMain(endingTopic, thread).catch(() => {}); // it has ended before an answer could be read
    Atomics.wait(this.#acknowledged, thread, 0, patienceMs);
  }
}
