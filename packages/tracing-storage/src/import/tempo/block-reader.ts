import { totalmem } from "node:os";
import { Worker } from "node:worker_threads";
import type { SpanRows } from "wire/rows";
import type { BlockCounts, BlockToRead, FromReader } from "./reader-messages.ts";

/** Limits of the thread that reads a block. */
export interface ReaderLimits {
  /** Maximum size of the thread's JavaScript heap in megabytes. */
  readonly memoryMb: number;
  /** Maximum number of milliseconds between two batches of rows. */
  readonly stallMs: number;
}

const readerLimits: ReaderLimits = {
  memoryMb: Math.min(3_072, Math.floor(totalmem() / 2 / 1024 / 1024)),
  stallMs: 300_000,
};

/** A block that cannot be read, or not to its end. Other blocks are not affected. */
export class UnreadableBlock extends Error {
  override readonly name = "UnreadableBlock";
}

/**
 * Reads a block in a thread of its own.
 * @param take stores rows; the thread waits for it, and its errors end the reading
 * @throws UnreadableBlock; errors of `take`
 */
export async function readBlockApart(
  block: BlockToRead,
  take: (rows: SpanRows) => Promise<void>,
  limits: ReaderLimits = readerLimits,
): Promise<BlockCounts> {
  const worker = new Worker(new URL("./block-reader-start.ts", import.meta.url), {
    name: "block reader",
    workerData: block,
    env: process.env,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  const inbox = new Inbox(worker, limits);
  try {
    for (;;) {
      const message = await inbox.next();
      if (message.kind === "end") {
        return message.counts;
      }
      if (message.kind === "failed") {
        throw new UnreadableBlock(message.message);
      }
      const { bytes, count, plainBytes } = message;
      await take({ bytes, count, ...(plainBytes === undefined ? {} : { plainBytes }) });
      worker.postMessage("next");
    }
  } finally {
    await worker.terminate();
  }
}

/** Messages of the thread in order. The end of the thread is also a message. */
class Inbox {
  readonly #stallMs: number;
  readonly #messages: FromReader[] = [];
  #wake = () => {};

  constructor(worker: Worker, { memoryMb, stallMs }: ReaderLimits) {
    this.#stallMs = stallMs;
    const put = (message: FromReader) => {
      this.#messages.push(message);
      this.#wake();
    };
    worker.on("message", put);
    worker.on("error", ({ code, message }: NodeJS.ErrnoException) =>
      put({
        kind: "failed",
        message:
          code === "ERR_WORKER_OUT_OF_MEMORY" ? `reading needs more than ${memoryMb} MB of memory` : message,
      }),
    );
    worker.on("exit", () => put({ kind: "failed", message: "the thread that reads has ended" }));
  }

  /** The next message; `failed` when none comes in time. */
  async next(): Promise<FromReader> {
    if (this.#messages.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#stallMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return (
      this.#messages.shift() ?? {
        kind: "failed",
        message: `reading took more than ${this.#stallMs / 1_000} s at one place`,
      }
    );
  }
}
