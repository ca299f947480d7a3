import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { maxQueryThreads } from "./thread-pool-size.ts";

/** Transfers one result from the engine to its reader, at the reader's pace. At most 64 KiB are in the pipe. */
export interface ResultPipe {
  /** Path for the statement: `INTO OUTFILE '<path>' APPEND`. */
  readonly path: string;
  /**
   * Bytes of the result. The stream ends when `end` was called and all bytes were read. Destroying it is not allowed:
   * see `abandon`.
   */
  readonly stream: Readable;
  /** Must be called when the engine has written everything, because its query has ended or was never started. */
  end(): void;
  /**
   * Drops the rest of the result, so that the query can be cancelled, which is impossible while its write is blocked. A
   * reader that continues sees an end of the stream, although the result is incomplete.
   */
  abandon(): void;
  readonly isAbandoned: boolean;
}

/**
 * Named pipes, one for each possible running query, which are created once and then reused. The engine's binding
 * returns a result either as one buffer, or as pieces that are separate documents. However, the engine can write any
 * format to a file in pieces, and it treats a named pipe like a file.
 */
export class ResultPipes {
  readonly #free: string[];
  readonly #all: readonly string[];
  readonly #open = new Set<ResultPipe>();

  /** @param folder folder of the spool, which is empty */
  constructor(folder: string) {
    const paths = Array.from({ length: maxQueryThreads }, (_, index) => join(folder, `result-${index}`));
    try {
      execFileSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
      this.#free = paths;
    } catch {
      // The system has no named pipes, so results are kept in memory, up to `storage.max-result-bytes`.
      this.#free = [];
    }
    this.#all = [...this.#free];
  }

  /** Removes the pipes; must be called after the last query has ended. */
  remove(): void {
    for (const path of this.#all) {
      rmSync(path, { force: true });
    }
  }

  /** @returns undefined when no pipe is free */
  take(): ResultPipe | undefined {
    const path = this.#free.pop();
    if (path === undefined) {
      return undefined;
    }
    // This process keeps both ends of the pipe open until the query has ended. Otherwise, the engine would wait for a
    // reader, or the reader would see the end immediately.
    const held = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stream = new Socket({ fd, readable: true, writable: false });
    let ended = false;
    let abandoned = false;
    const pipe: ResultPipe = {
      path,
      stream,
      end: () => {
        if (!ended) {
          ended = true;
          closeSync(held);
        }
      },
      get isAbandoned() {
        return abandoned;
      },
      abandon: () => {
        if (!abandoned) {
          abandoned = true;
          // A waiting or stopped reader would block the pipe.
          stream.removeAllListeners("readable");
          stream.on("data", () => {});
          setImmediate(() => stream.resume());
        }
      },
    };
    this.#open.add(pipe);
    stream.on("error", () => {});
    stream.once("close", () => {
      this.#open.delete(pipe);
      // A pipe is reused only after its query has closed it.
      if (ended) {
        this.#free.push(path);
      }
    });
    return pipe;
  }

  /** Stops all readers; must be called before all queries are cancelled. */
  abandonAll(): void {
    for (const pipe of this.#open) {
      pipe.abandon();
    }
  }
}
