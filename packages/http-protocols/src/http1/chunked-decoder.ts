import { Http1Error } from "./http1-error.ts";

/** Length limit of a line with a chunk's size and extensions. Extensions are ignored. */
const maxLineBytes = 4 * 1024;
const maxTrailerBytes = 64 * 1024;

const sizeLine = /^([0-9a-fA-F]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const trailerLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/;

const lf = 0x0a;
const cr = 0x0d;

/** Joins the chunks of a body. Extensions are checked and dropped. Source: RFC 9112, section 7.1 */
export class ChunkedDecoder {
  readonly #take: (data: Buffer) => void;
  readonly #takeTrailer: ((name: string, value: string) => void) | undefined;
  #state: "size" | "data" | "data-end" | "trailers" | "done" = "size";
  /** Bytes of the current chunk that have not arrived yet. */
  #left = 0;
  /** The part of a line that has arrived so far. */
  #line = "";
  #trailerBytes = 0;

  /**
   * @param take called with bytes of the body, never with an empty buffer
   * @param takeTrailer called with each field after the body; absent: the fields are dropped
   */
  constructor(take: (data: Buffer) => void, takeTrailer?: (name: string, value: string) => void) {
    this.#take = take;
    this.#takeTrailer = takeTrailer;
  }

  get done(): boolean {
    return this.#state === "done";
  }

  /**
   * @returns the number of bytes that belong to the body; fewer than `bytes.length` when the body ends within `bytes`.
   * @throws Http1Error
   */
  push(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== "done") {
      if (this.#state === "data") {
        const end = Math.min(bytes.length, at + this.#left);
        this.#left -= end - at;
        const data = bytes.subarray(at, end);
        at = end;
        if (this.#left === 0) {
          this.#state = "data-end";
        }
        this.#take(data);
      } else {
        at = this.#takeLine(bytes, at);
      }
    }
    return at;
  }

  #takeLine(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(lf, from);
    const stop = end === -1 ? bytes.length : end + 1;
    this.#line += bytes.toString("latin1", from, stop);
    const limit = this.#state === "trailers" ? maxTrailerBytes : maxLineBytes;
    if (this.#line.length > limit) {
      throw new Http1Error(
        "malformed",
        `a line of a chunked body is longer than the limit of ${limit} bytes`,
      );
    }
    if (end === -1) {
      return stop;
    }
    if (this.#line.charCodeAt(this.#line.length - 2) !== cr) {
      throw new Http1Error("malformed", "a line of a chunked body ends without CR");
    }
    const line = this.#line.slice(0, -2);
    this.#line = "";
    this.#endLine(line);
    return stop;
  }

  #endLine(line: string): void {
    switch (this.#state) {
      case "size": {
        const size = sizeLine.exec(line)?.[1];
        if (size === undefined) {
          throw new Http1Error("malformed", `malformed chunk size ${JSON.stringify(line.slice(0, 40))}`);
        }
        this.#left = Number.parseInt(size, 16);
        this.#state = this.#left === 0 ? "trailers" : "data";
        break;
      }
      case "data-end":
        if (line !== "") {
          throw new Http1Error("malformed", "a chunk is longer than its size");
        }
        this.#state = "size";
        break;
      default:
        if (line === "") {
          this.#state = "done";
          break;
        }
        this.#trailerBytes += line.length;
        if (!trailerLine.test(line) || this.#trailerBytes > maxTrailerBytes) {
          throw new Http1Error("malformed", "malformed or too many trailers");
        }
        if (this.#takeTrailer !== undefined) {
          const colon = line.indexOf(":");
          this.#takeTrailer(line.slice(0, colon), line.slice(colon + 1).trim());
        }
    }
  }
}
