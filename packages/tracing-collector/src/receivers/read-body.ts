import type { Http1Error } from "http-protocols/http1/http1-error";
import { CollectorError } from "../errors.ts";
import { HttpError } from "./http-error.ts";
import type { HttpRequest } from "./http-messages.ts";
import type { UnfinishedBytes } from "./unfinished-bytes.ts";

/** Reads request bodies. There is a limit for each body, and a limit for all running requests together. */
export class BodyReader {
  /** Size limit of one body in bytes, before and after decompression. */
  readonly maxBytes: number;
  readonly #unfinished: UnfinishedBytes;

  /** @param limits size limit of one body, and the counter of all running requests */
  constructor(limits: { readonly maxBytes: number; readonly unfinished: UnfinishedBytes }) {
    this.maxBytes = limits.maxBytes;
    this.#unfinished = limits.unfinished;
  }

  /**
   * Reads a whole body and passes it to `use`. The body counts against the total until `use` has ended.
   * @throws HttpError 413 for a body over the limit; 400 for one that is broken or cut off; CollectorError
   * COLLECTOR_BODIES_BUSY and COLLECTOR_BODY_LATE; Http1Error when the sender disconnects. The rest of a refused body
   * is then dropped.
   */
  async read<T>(request: HttpRequest, use: (body: Buffer) => Promise<T>): Promise<T> {
    const declared = Number(request.headers["content-length"] ?? 0);
    if (declared > this.maxBytes) {
      throw this.#tooLarge(`${declared} bytes`);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      await new Promise<void>((resolve, reject) => {
        request.readBody({
          data: (chunk) => {
            length += chunk.length;
            const hasRoom = this.#unfinished.take(chunk.length);
            if (length > this.maxBytes) {
              reject(this.#tooLarge(`more than ${this.maxBytes} bytes`));
            } else if (!hasRoom) {
              reject(this.#busy());
            } else {
              chunks.push(chunk);
            }
          },
          end: resolve,
          fail: (error) => reject(errorOf(error)),
        });
      });
      return await use(
        chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length),
      );
    } finally {
      request.dropBody();
      this.#unfinished.give(length);
    }
  }

  #tooLarge(what: string): HttpError {
    return new HttpError(413, `request body of ${what} is over the limit of ${this.maxBytes}`);
  }

  #busy(): CollectorError {
    return new CollectorError(
      "COLLECTOR_BODIES_BUSY",
      `${this.#unfinished.bytes} bytes of requests are under way: the limit is ${this.#unfinished.maxBytes}`,
    );
  }
}

/** A body that is late may be sent again, a broken one may not. The error of a sender that went away stays as it is. */
function errorOf(error: Http1Error): Error {
  switch (error.fault) {
    case "gone":
      return error;
    case "late":
      return new CollectorError("COLLECTOR_BODY_LATE", error.message);
    default:
      return new HttpError(400, error.message, { cause: error });
  }
}
