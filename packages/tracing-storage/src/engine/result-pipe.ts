import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { maxQueryThreads } from "./thread-pool-size.ts";

/** The way of one result from the engine to its reader, at the reader's pace: 64 KiB are under way at most. */
export interface ResultPipe {
  /** What the statement names: `INTO OUTFILE '<path>' APPEND`. */
  readonly path: string;
  /** The bytes of the result; ends when `end` was called and all was read. Not to be destroyed: see `abandon`. */
  readonly stream: Readable;
  /** The engine has written all it will write: its query has ended, or was never started. */
  end(): void;
  /**
   * Nobody reads on: the rest is thrown away, so that the query can be cancelled, which no blocked write can. A reader
   * that is still there sees the end, and must not take it for that of the result.
   */
  abandon(): void;
  readonly isAbandoned: boolean;
}

/**
 * Named pipes, one for each query that may run, made once and used again and again. The binding of the engine gives a
 * result as one buffer, or in pieces of which each is a document of its own; but the engine writes to a file in any
 * format, piece by piece, and a named pipe is a file to it.
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
      // A system without named pipes: results are held in memory, as far as `storage.max-result-bytes` allows.
      this.#free = [];
    }
    this.#all = [...this.#free];
  }

  /** Takes the pipes away; no query runs any more. */
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
          // A reader that waits, or has stopped reading, would hold the flow.
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
      // A pipe that its query still holds is not used again.
      if (ended) {
        this.#free.push(path);
      }
    });
    return pipe;
  }

  /** Nobody reads on, anywhere: before all queries are cancelled. */
  abandonAll(): void {
    for (const pipe of this.#open) {
      pipe.abandon();
    }
  }
}
