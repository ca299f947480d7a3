import type { Readable } from "node:stream";
import type { ServerError } from "server-core/errors";
import { type BodySource, H2Body } from "./h2-body.ts";
import { H2Tunnel } from "./h2-tunnel.ts";

/** Maximum number of bytes of an unread body that are received and dropped. A client that sends more must stop. */
const maxDroppedBytes = 256 * 1024;

/** The part of the stream that a body uses. */
export interface BodyStream extends BodySource {
  /** Called when bytes of the body were consumed, so that the windows can be restored. */
  bodyTaken(bytes: number): void;
}

/**
 * The body of one request, or the data in a tunnel: stores bytes that no reader wants yet, passes bytes on, or drops
 * them.
 */
export class H2RequestBody {
  readonly #stream: BodyStream;
  #reader: H2Body | H2Tunnel | undefined;
  /** Chunks that were not requested yet. */
  #early: Buffer[] = [];
  /** Bytes of the declared length that have not arrived yet; -1: no length was declared. */
  #left: number;
  #droppedBytes = 0;
  #fault: ServerError | undefined;
  /** True when the client has sent the whole body. */
  ended: boolean;
  /** True when the reader has space for more bytes. */
  wanted = false;
  /** True when a part of the body was read. */
  touched = false;
  /** Number of bytes that were passed to the reader or taken as a whole. */
  givenBytes = 0;
  /** True when arriving bytes are dropped. */
  dropping = false;
  /**
   * Time when bytes last arrived, in milliseconds since 1970. Before the first bytes, it is when the stream was opened.
   */
  at: number;
  /** Bytes of the body that arrived. */
  bytes = 0;

  /** @param length declared length; -1: none. @param ended true: the request has only a head */
  constructor(stream: BodyStream, length: number, ended: boolean, now: number) {
    this.#stream = stream;
    this.#left = length;
    this.ended = ended;
    this.at = now;
  }

  /** The body for handlers, made on first use. @param isOver true: no more data arrives if it is made now */
  reader(isOver: boolean): Readable {
    if (this.#reader === undefined) {
      this.#reader = new H2Body(this.#stream);
      if (this.#fault !== undefined) {
        this.#reader.destroy(this.#fault);
      } else if (isOver) {
        this.#reader.push(null);
      }
    }
    return this.#reader;
  }

  /** Passes arriving bytes to a tunnel from now on. */
  leaveTo(tunnel: H2Tunnel): void {
    this.#reader = tunnel;
  }

  get isTunnel(): boolean {
    return this.#reader instanceof H2Tunnel;
  }

  /** The whole body when it is complete and unread; otherwise undefined. */
  get whole(): Buffer | undefined {
    if (!this.ended || this.touched || this.#early.length === 0) {
      return undefined;
    }
    const [first, ...more] = this.#early;
    if (more.length > 0) {
      this.#early = [Buffer.concat(this.#early)];
    }
    const whole = more.length > 0 ? this.#early[0] : first;
    this.givenBytes = whole?.length ?? 0;
    return whole;
  }

  /** True when the declared bytes that are still missing are few enough to be dropped. */
  get isDroppable(): boolean {
    return this.#left <= maxDroppedBytes;
  }

  /** True when more bytes were dropped than the limit, so the stream must be reset. */
  get isOverDropped(): boolean {
    return this.#droppedBytes > maxDroppedBytes;
  }

  /** Called when the reader has space. Passes the available bytes to the reader. */
  read(): void {
    if (!this.touched) {
      this.touched = true;
      this.givenBytes = 0; // Reading `whole` does not count as reading the body.
    }
    this.wanted = true;
    this.handOn();
  }

  /** Takes arriving bytes. @param piece valid only during the call. @returns false for more bytes than declared */
  receive(piece: Buffer): boolean {
    this.at = Date.now();
    this.bytes += piece.length;
    if (this.#left >= 0) {
      this.#left -= piece.length;
      if (this.#left < 0) {
        return false;
      }
    }
    if (this.dropping) {
      this.#stream.bodyTaken(piece.length);
      this.#droppedBytes += piece.length;
    } else if (piece.length > 0) {
      this.#early.push(Buffer.from(piece));
      this.handOn();
    }
    return true;
  }

  /** Takes the end of the body. @returns false when the body is shorter than declared */
  end(): boolean {
    if (this.#left > 0) {
      return false;
    }
    this.ended = true;
    return true;
  }

  /** Passes bytes to the reader until the reader is full. */
  handOn(): void {
    const reader = this.#reader;
    if (reader === undefined || !this.wanted) {
      return;
    }
    while (this.wanted) {
      const chunk = this.#early.shift();
      if (chunk === undefined) {
        break;
      }
      this.#stream.bodyTaken(chunk.length);
      this.givenBytes += chunk.length;
      this.wanted = reader.push(chunk);
    }
    if (this.ended && this.#early.length === 0) {
      this.wanted = false;
      reader.push(null);
    }
  }

  /** Drops the rest of the body, which nobody will read. */
  drop(): void {
    this.dropping = true;
    for (const chunk of this.#early) {
      this.#stream.bodyTaken(chunk.length);
    }
    this.#early = [];
  }

  /** Fails a body that missed its deadline: its reader gets the error. */
  fail(error: ServerError): void {
    this.#fault = error;
    this.drop();
    this.#reader?.destroy(error);
  }

  /**
   * Called when the stream has closed. @param isCut true when request or response was incomplete: the reader then gets
   * an error
   */
  lost(error: ServerError, isCut: boolean): void {
    const reader = this.#reader;
    if (reader instanceof H2Tunnel) {
      reader.destroy();
      return;
    }
    this.#fault = error;
    if (isCut && reader !== undefined && !reader.readableEnded && !reader.destroyed) {
      reader.destroy(error);
    }
  }
}
