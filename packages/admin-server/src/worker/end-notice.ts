import type { ThreadMessages } from "server-core/threads/thread-messages";

/** Message of a thread that ends, with its number. */
export const endingTopic = "threads.ending";

/** How long a thread that ends waits for the main thread, in milliseconds. Its clients wait with it. */
const patienceMs = 2_000;

/** Where the main thread acknowledges that a thread may end: one number for each thread, which threads can wait for. */
export class EndNotices {
  readonly #acknowledged: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#acknowledged = new Int32Array(buffer);
  }

  /** Memory for so many threads, the main thread included. */
  static create(threads: number): EndNotices {
    return new EndNotices(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
  }

  /** The memory, which a worker gets when it starts. */
  get buffer(): SharedArrayBuffer {
    return this.#acknowledged.buffer as SharedArrayBuffer;
  }

  /** A new thread has this number. */
  expect(thread: number): void {
    Atomics.store(this.#acknowledged, thread, 0);
  }

  /** The main thread: the thread may end now. */
  acknowledge(thread: number): void {
    Atomics.store(this.#acknowledged, thread, 1);
    Atomics.notify(this.#acknowledged, thread);
  }

  /**
   * Tells the main thread that this thread ends, and stops it until that is acknowledged. Its listeners stay open
   * meanwhile. Nothing else may run in it any more.
   */
  announce({ thread, askMain }: Pick<ThreadMessages, "thread" | "askMain">): void {
    askMain(endingTopic, thread).catch(() => {}); // it has ended before an answer could be read
    Atomics.wait(this.#acknowledged, thread, 0, patienceMs);
  }
}
