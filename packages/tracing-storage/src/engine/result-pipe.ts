import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { maxQueryThreads } from "./thread-pool-size.ts";

/** Carries one result from the engine to its reader at the reader's pace, with at most 64 KiB on the way. */
export interface ResultPipe {
  /** The path for the statement: `INTO OUTFILE '<path>' APPEND`. */
  readonly path: string;
  /** The bytes of the result; ends when `end` was called and all was read. Not to be destroyed: see `abandon`. */
  readonly stream: Readable;
  /** The engine has written all it will write: its query has ended, or was never started. */
  end(): void;
  /**
   * The rest is dropped, so that the query can be cancelled, which a blocked write cannot. A reader that
   * still reads sees an end, which is not the end of the result.
   */
  abandon(): void;
  readonly isAbandoned: boolean;
}

/**
 * Named pipes, one for each query that may run, made once and reused. The engine's binding returns a result
 * as one buffer, or in pieces that are separate documents. But the engine writes to a file in any format,
 * piece by piece, and a named pipe is a file to it.
 */
export class ResultPipes {
  readonly #free: string[];
  readonly #all: readonly string[];
  readonly #open = new Set<ResultPipe>();

  /** @param folder of the spool, which is empty */
  constructor(folder: string) {
    const paths = Array.from({ length: maxQueryThreads }, (_, index) => join(folder, `result-${index}`));
    try {
      execFileSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore" });
      this.#free = paths;
    } catch {
      // A system without named pipes: results are held in memory, up to `storage.max-result-bytes`.
      this.#free = [];
    }
    this.#all = [...this.#free];
  }

  /** Removes the pipes, after the last query has ended. */
  remove(): void {
    for (const path of this.#all) {
      rmSync(path, { force: true });
    }
  }

  /** @returns undefined when there is none free */
  take(): ResultPipe | undefined {
    const path = this.#free.pop();
    if (path === undefined) {
      return undefined;
    }
    // Open at both ends until the query has ended: the engine would wait for a reader, and a reader see the end at once.
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
          // A reader that waits, or has stopped reading, would block the pipe.
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
      // A pipe that its query still holds is not reused.
      if (ended) {
        this.#free.push(path);
      }
    });
    return pipe;
  }

  /** All readers stop; called before all queries are cancelled. */
  abandonAll(): void {
    for (const pipe of this.#open) {
      pipe.abandon();
    }
  }
}
