import type { IncomingMessage } from "node:http";
import { CollectorError } from "../errors.ts";
import { HttpError } from "./http-error.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

/** Reads request bodies. There is a limit for each body, and a limit for all running requests together. */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #unfinished: UnfinishedBytes;

  /** @param limits size limit of one body, and the counter of all running requests */
  constructor(limits: { readonly maxBytes: number; readonly unfinished: UnfinishedBytes }) {
    this.#maxBytes = limits.maxBytes;
    this.#unfinished = limits.unfinished;
  }

  /**
   * Reads a whole body and passes it to `use`. The body counts against the total until `use` has ended.
   * @throws HttpError 413 for a body over the limit; CollectorError COLLECTOR_BODIES_BUSY; the request's error when the
   * sender disconnects. The rest of the request is then unread: the caller must read it or close the connection.
   */
  async read<T>(request: IncomingMessage, use: (body: Buffer) => Promise<T>): Promise<T> {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > this.#maxBytes) {
      throw this.#tooLarge(`${declared} bytes`);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        request.on("data", (chunk: Buffer) => {
          length += chunk.length;
          const hasRoom = this.#unfinished.take(chunk.length);
          if (length > this.#maxBytes) {
            reject(this.#tooLarge(`more than ${this.#maxBytes} bytes`));
          } else if (!hasRoom) {
            reject(this.#busy());
          } else {
            chunks.push(chunk);
          }
        });
        request.once("end", resolve);
        request.once("error", reject);
        request.once("close", () => {
          // Every request emits `close`. If `end` was not emitted before, the sender has disconnected. The error is
          // created only then, because its stack trace costs time.
          if (!request.readableEnded) {
            reject(new Error("the sender went away"));
          }
        });
      });
      return await use(
        chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length),
      );
    } finally {
      request.removeAllListeners("data");
      this.#unfinished.give(length);
    }
  }

  #tooLarge(what: string): HttpError {
    return new HttpError(413, `request body of ${what} is over the limit of ${this.#maxBytes}`);
  }

  #busy(): CollectorError {
    return new CollectorError(
      "COLLECTOR_BODIES_BUSY",
      `${this.#unfinished.bytes} bytes of requests are under way: the limit is ${this.#unfinished.maxBytes}`,
    );
  }
}

/** Limit of bytes of a refused body that are read and dropped, so that the sender finishes and reads the answer. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** Reads the rest of a refused request. Above the limit the connection is closed. */
export function drainRequest(request: IncomingMessage): void {
  if (request.complete) {
    return;
  }
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxDrainedBytes) {
      request.destroy();
    }
  });
  request.resume();
}
