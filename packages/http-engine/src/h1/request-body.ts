import { ChunkedDecoder } from "http-protocols/http1/chunked-decoder";
import type { ServerError } from "server-core/errors";
import type { HeaderList } from "../header-list.ts";
import { H1Body } from "./h1-body.ts";

/**
 * Maximum number of bytes of an unread body that are received and dropped to keep the connection. Source: Go's
 * net/http
 */
const maxDroppedBytes = 256 * 1024;
const noTrailers: HeaderList = []; // never changed

/** The part of the connection that a body uses. */
export interface BodyFeeder {
  /** Called when a handler starts or continues to read the body. */
  bodyWanted(): void;
  /** Called when the rest of the body will not be read. */
  bodyLeftAlone(): void;
}

/** The body of one request: reads its bytes from the connection and passes them on, or drops them. */
export class RequestBody {
  readonly #feeder: BodyFeeder;
  readonly #decoder: ChunkedDecoder | undefined;
  /** Bytes of a declared length that have not arrived yet. */
  #left: number;
  #trailers: HeaderList = noTrailers;
  #reader: H1Body | undefined;
  #droppedBytes = 0;
  /** True when the reader's buffer is full. */
  #isFull = false;
  fault: ServerError | undefined;
  /** True when the whole body has arrived, or no more will come because it failed. */
  done: boolean;
  /** True when arriving bytes are dropped. */
  dropping = false;
  /** True when a handler has read a part of the body. */
  touched = false;
  /** Number of bytes that were passed to the reader. */
  givenBytes = 0;

  /** @param length bytes of the body; -1: chunked */
  constructor(feeder: BodyFeeder, length: number) {
    this.#feeder = feeder;
    this.#left = length;
    this.done = length === 0;
    if (length === -1) {
      this.#trailers = [];
      this.#decoder = new ChunkedDecoder(
        (data) => this.#handOn(data),
        (name, value) => this.#trailers.push(name, value),
      );
    }
  }

  /** Fields after the body; empty until the body is complete. */
  get trailers(): HeaderList {
    return this.done ? this.#trailers : noTrailers;
  }

  /** The body in the form for handlers; made on first use. */
  get reader(): H1Body {
    if (this.#reader === undefined) {
      const reader = new H1Body(
        () => this.#feeder.bodyWanted(),
        () => this.#feeder.bodyLeftAlone(),
      );
      this.#reader = reader;
      if (this.fault !== undefined) {
        reader.destroy(this.fault);
      } else if (this.done && !this.dropping) {
        reader.push(null);
      }
    }
    return this.#reader;
  }

  /** True when `waiting` unread bytes complete the body. */
  isWholeWith(waiting: number): boolean {
    return this.#decoder === undefined && this.#left <= waiting;
  }

  /** True when the unread part is small enough to be dropped. */
  get isDroppable(): boolean {
    return this.#left <= maxDroppedBytes;
  }

  /** True when more bytes were dropped than the limit, so the connection must close. */
  get isOverDropped(): boolean {
    return this.#droppedBytes > maxDroppedBytes;
  }

  /**
   * Reads the bytes that belong to the body.
   * @returns number of bytes that belong to the body; afterwards {@link done} is true when the body is complete
   * @throws Http1Error for a malformed chunk
   */
  take(bytes: Buffer): number {
    if (this.#decoder !== undefined) {
      const used = this.#decoder.push(bytes);
      this.done = this.#decoder.done;
      return used;
    }
    const used = Math.min(bytes.length, this.#left);
    this.#left -= used;
    this.#handOn(bytes.subarray(0, used));
    this.done = this.#left === 0;
    return used;
  }

  /** @returns true when the reader has asked for a pause since the last call */
  takeFull(): boolean {
    const isFull = this.#isFull;
    this.#isFull = false;
    return isFull;
  }

  /** Ends the reader, because the whole body has arrived. */
  end(): void {
    this.#reader?.push(null);
  }

  /** Fails a body that is broken, late or cut: its reader gets the error. */
  fail(error: ServerError): void {
    this.done = true;
    this.fault = error;
    if (this.#reader !== undefined && !this.#reader.destroyed) {
      this.#reader.destroy(error);
    }
  }

  #handOn(data: Buffer): void {
    if (this.dropping) {
      this.#droppedBytes += data.length;
    } else if (this.#reader !== undefined) {
      this.givenBytes += data.length;
      if (!this.#reader.push(data)) {
        this.#isFull = true;
      }
    }
  }
}
