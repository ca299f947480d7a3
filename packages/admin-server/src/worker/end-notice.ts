import type { ThreadMessages } from "server-core/threads/thread-messages";

/** Topic for the message of a thread that will end, with the thread's number. */
export const endingTopic = "threads.ending";

/** Milliseconds that an ending thread waits for the main thread. The thread's clients also wait in this time. */
const patienceMs = 2_000;

/** Permissions to end, which the main thread gives to the worker threads. A worker waits until its number changes. */
export class EndNotices {
  readonly #acknowledged: Int32Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#acknowledged = new Int32Array(buffer);
  }

  /** Allocates memory for this many threads, including the main thread. */
  static create(threads: number): EndNotices {
    return new EndNotices(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
  }

  /** The memory with the numbers, which a worker receives when it starts. */
  get buffer(): SharedArrayBuffer {
    return this.#acknowledged.buffer as SharedArrayBuffer;
  }

  /** Resets the number for a new thread. */
  expect(thread: number): void {
    Atomics.store(this.#acknowledged, thread, 0);
  }

  /** Called by the main thread: allows the thread to end. */
  acknowledge(thread: number): void {
    Atomics.store(this.#acknowledged, thread, 1);
    Atomics.notify(this.#acknowledged, thread);
  }

  /**
   * Tells the main thread that this thread will end, and blocks until the main thread allows it. The listeners of this
   * thread stay open meanwhile. No other code may run in the thread afterwards.
   */
  announce({ thread, askMain }: Pick<ThreadMessages, "thread" | "askMain">): void {
    askMain(endingTopic, thread).catch(() => {}); // the thread ends before it could read an answer
    Atomics.wait(this.#acknowledged, thread, 0, patienceMs);
  }
}
